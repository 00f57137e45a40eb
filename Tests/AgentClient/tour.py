"""Uses `pushrig mcp` as an agent would: the protocol's own client, one call of each kind.

    tour.py PUSHRIG       prints `ok WORD` for each thing that held; ends with 1 at the first that did not
"""

import asyncio, os, sys

from mcp import ClientSession, StdioServerParameters, stdio_client


def held(word, is_so, seen=""):
    if not is_so:
        sys.exit("%s does not hold: %s" % (word, str(seen)[:2000]))
    print("ok", word, flush=True)


def text(result):
    return "".join(part.text for part in result.content)


def outcome(result):
    return getattr(result, "structured_content", None) or result.structuredContent


async def main(program):
    server = StdioServerParameters(command=program, args=["mcp"])
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        greeting = await session.initialize()
        info = getattr(greeting, "server_info", None) or greeting.serverInfo
        held("greeting", info.name == "pushrig", greeting)
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        held("tools", {"check", "run", "journal", "judge", "explain", "lint", "start_mock"} <= set(tools), tools)
        told = await session.call_tool("explain", {"id": "last-state-delivered"})
        held("explain", outcome(told)["exitCode"] == 0 and "last" in text(told), told)
        told = await session.call_tool("explain", {"id": "nonsense-of-mine"})
        held("a wrong word is told", outcome(told)["exitCode"] == 2 and "nonsense-of-mine" in text(told), told)
        told = await session.call_tool("lint", {"files": ["Scenarios/epilogue.yaml"]})
        held("lint", outcome(told)["exitCode"] == 0, told)
        told = await session.call_tool("run", {"scenario": "epilogue", "seed": 7, "out": sys.argv[2]})
        held("run", outcome(told)["meaning"] == "passed" and "report.html" in text(told), told)
        told = await session.call_tool("judge", {"run": sys.argv[2], "gate": ["lost == 0", "delivery.p99 < 1ns"]})
        held("judge", outcome(told)["exitCode"] == 3, told)
        told = await session.call_tool("journal", {"run": sys.argv[2], "session": 0})
        held("journal", "session" in text(told), told)
        mock = await session.call_tool("start_mock", {"tokens": "any"})
        state = outcome(mock)["state"]
        held("start_mock", os.path.exists(outcome(mock)["ca"]), mock)
        told = await session.call_tool("mock_request", {"state": state, "path": "/v1/pushes"})
        held("mock_request", outcome(told)["status"] == 200 and outcome(told)["body"]["pushes"] == [], told)
        # Two at once: one that takes long does not hold the other up.
        slow = asyncio.create_task(session.call_tool("run", {"scenario": "smoke", "out": sys.argv[2] + "-slow"}))
        await asyncio.sleep(1)
        told = await session.call_tool("list", {"kind": "words"})
        held("list beside a run", outcome(told)["exitCode"] == 0 and not slow.done(), told)
        slow.cancel()
        await session.call_tool("stop_mock", {"state": state})
        held("stop_mock", not os.path.exists(state), state)


asyncio.run(asyncio.wait_for(main(sys.argv[1]), 120))
