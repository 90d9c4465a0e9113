// Sets the theme before the first paint. A classic script, because modules run after it.
try {
  const settings = JSON.parse(localStorage.getItem("noughts.visitor") || "{}").settings || {};
  if (settings.theme && settings.theme !== "device") document.documentElement.dataset.theme = settings.theme;
  if (settings.contrast === "high") document.documentElement.dataset.contrast = "more";
} catch {
  // Without storage the page follows the device.
}
