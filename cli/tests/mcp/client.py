"""Drives `memstrata mcp` with the official SDK. Usage: client.py PROGRAM MODE"""

import asyncio
import os
import sys

from mcp import Client, MCPError, StdioServerParameters


async def main(program: str, mode: str) -> None:
    server = StdioServerParameters(
        command=program, args=["mcp"], env={"HOME": os.environ["HOME"]}, cwd=os.getcwd()
    )
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        print("protocol", client.protocol_version if hasattr(client, "protocol_version") else "?")

        # List.
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert len(tools) == 9, sorted(tools)
        assert tools["recall"].annotations.read_only_hint is True
        assert tools["forget"].annotations.destructive_hint is True

        # Call; the SDK holds structured results against the offered schema.
        saved = await client.call_tool(
            "save",
            {
                "type": "feedback",
                "name": "Squash merges",
                "description": "one commit a change",
                "body": "Squash before merging.\n\n**Why:** bisecting\n**How to apply:** every pull request\n",
            },
        )
        assert not saved.is_error, saved
        assert saved.structured_content["path"] == "feedback_squash_merges.md"
        found = await client.call_tool("recall", {"query": "how do we merge a pull request?"})
        assert "Squash before merging" in found.content[0].text, found

        # Errors are those of the tool, with what to do.
        missing = await client.call_tool("show", {"name": "nothing of this name"})
        assert missing.is_error and "`list`" in missing.content[0].text, missing
        wrong = await client.call_tool("recall", {"query": "a", "limit": 99})
        assert wrong.is_error and "1 to 5" in wrong.content[0].text, wrong
        secret = await client.call_tool(
            "save",
            {"type": "user", "name": "k", "description": "d", "body": os.environ["TEST_CREDENTIAL"]},
        )
        assert secret.is_error and os.environ["TEST_CREDENTIAL"] not in secret.content[0].text, secret
        try:
            await client.call_tool("no_such_tool", {})
            raise AssertionError("an unknown tool was answered")
        except MCPError:
            pass

        # Progress.
        steps = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            steps.append((done, total, message))

        verified = await client.call_tool("verify", {}, progress_callback=progress)
        assert not verified.is_error, verified
        assert steps and steps[-1][0] == steps[-1][1], steps

        # Bounded results.
        for number in range(60):
            many = await client.call_tool(
                "save",
                {"type": "reference", "name": f"Note {number}", "description": "words " * 49, "body": "Text.\n"},
            )
            assert not many.is_error, many
        listed = await client.call_tool("list", {"limit": 200})
        text = listed.content[0].text
        data = listed.structured_content
        assert len(text) <= 20_000, len(text)
        assert data["total"] == 61 and data["next_offset"] == len(data["memories"]) < 61, data["next_offset"]
        assert "more are not shown" in text, text[-200:]

        # Resources.
        resources = (await client.list_resources()).resources
        assert str(resources[0].uri) == "memstrata:///MEMORY.md", resources[0]
        index = await client.read_resource("memstrata:///MEMORY.md")
        assert "Squash merges" in index.contents[0].text
        for uri in ["memstrata:///../x.md", "memstrata:///none.md"]:
            try:
                await client.read_resource(uri)
                raise AssertionError(f"{uri} was read")
            except MCPError:
                pass

        # Many at once.
        answers = await asyncio.gather(*(client.call_tool("recall", {"query": "merge"}) for _ in range(12)))
        assert not any(answer.is_error for answer in answers)
        forgotten = await client.call_tool("forget", {"name": "Squash merges"})
        assert not forgotten.is_error, forgotten
    print("all done")


asyncio.run(main(sys.argv[1], sys.argv[2]))
