// How @hey-api/openapi-ts writes: imports with the ending that Node and a strict compiler want.
export default {
  input: "openapi.json",
  output: { path: "sdk", importFileExtension: ".js" },
};
