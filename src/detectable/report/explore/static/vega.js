// Inside the bundle with Vega. The interpreter, so that no policy need allow eval; no styles of its own.
globalThis.drawChart = (place, spec, loader, tell) =>
  vegaEmbed(place, spec, {
    actions: false,
    ast: true,
    defaultStyle: false,
    loader,
    renderer: "svg",
    tooltip: (_, event, __, value) => tell(event, value),
  });
