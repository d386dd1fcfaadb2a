// SPDX-License-Identifier: Apache-2.0
// Elements are built from text nodes only: nothing a file or a user says can become markup.

type Child = Node | string | null | undefined | false;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.filter((child): child is Node | string => !!child));
  return node;
}

const svgNamespace = "http://www.w3.org/2000/svg";

export function svgElement<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

export function button(label: string, title: string, onClick: () => void): HTMLButtonElement {
  const node = element("button", { type: "button", title }, label);
  node.addEventListener("click", onClick);
  return node;
}
