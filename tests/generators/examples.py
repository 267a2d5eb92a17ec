"""Holds every example of an OpenAPI document against its schema; prints those that do not fit."""

import json
import sys

from jsonschema import Draft202012Validator

document = json.load(open(sys.argv[1], encoding="utf-8"))
components = {"components": document["components"]}
held, wrong = 0, 0


def hold(schema, example, where):
    global held, wrong
    held += 1
    # References lead into the document's components.
    errors = list(Draft202012Validator({**components, "allOf": [schema]}).iter_errors(example))
    wrong += bool(errors)
    for error in errors[:3]:
        print(where, "/".join(map(str, error.absolute_path)), error.message[:200])


def media(content, where):
    for kind, shown in (content or {}).items():
        if "example" in shown:
            hold(shown["schema"], shown["example"], f"{where} {kind}")


for item in [*document["paths"].values(), *document["webhooks"].values()]:
    for one in item.values():
        name = one.get("operationId", one["summary"])
        for parameter in one.get("parameters", []):
            if "example" in parameter:
                hold(parameter["schema"], parameter["example"], f"{name} {parameter['name']}")
        media(one.get("requestBody", {}).get("content"), f"{name} request")
        for status, answer in one["responses"].items():
            media(answer.get("content"), f"{name} {status}")
for example in document["components"]["examples"].values():
    hold({"$ref": "#/components/schemas/Erro"}, example["value"], example["value"]["codigo"])
for name, parameter in document["components"]["parameters"].items():
    hold(parameter["schema"], parameter["example"], name)
print(f"{held} examples, {wrong} do not fit")
sys.exit(1 if wrong or held < 500 else 0)
