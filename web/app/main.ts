document.getElementById("app")!.textContent = "kdyn";
