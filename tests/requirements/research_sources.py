"""What sources and web search have to do, in our own words."""

REQUIREMENTS = {
    "RS-501": "Sources are found in the house, the data directory and the project; the later wins.",
    "RS-502": "A broken configuration is told with the line and column of every problem, leaves "
    "the list whole and is not replaced by what it was to replace.",
    "RS-503": "A credential is named by a placeholder, in places where it stays secret only.",
    "RS-504": "No message about a configuration repeats a value that may be a secret.",
    "RS-505": "Credentials leave the machine over https only.",
    "RS-506": "Credentials are fetched when a source starts and reach its process by its "
    "environment: no cache file, no argument, nothing in clear on the disk.",
    "RS-507": "A missing credential is told by its name before anything is started; a person's own "
    "goes before the house's.",
    "RS-508": "A source's process gets no other part of our environment than it needs to run.",
    "RS-509": "A connection is opened on first use, once, and kept with its list of tools.",
    "RS-510": "Each person has their own connection to a source.",
    "RS-511": "A source that hangs at its start is given up in time, keeps nobody waiting, and is "
    "left alone for a while.",
    "RS-512": "A tool that does not answer is given up in time, and the next call is answered.",
    "RS-513": "A process that died is started again for the next call.",
    "RS-514": "A call that lost its connection is made again once if it was not looked at or is "
    "declared repeatable, and never otherwise.",
    "RS-515": "A 404 on an expired MCP session opens a new one, and the call is made once.",
    "RS-516": "An address that is down is said to be, and found again when it is back.",
    "RS-517": "A large result is cut with a note, and what is no text is named.",
    "RS-518": "A message over the limit is cut off while it comes in, over every transport.",
    "RS-519": "A tool that a source no longer has is not found, with those that it has.",
    "RS-520": "Output that is no message does no harm, and is quoted when nothing else comes.",
    "RS-521": "A result that breaks the source's own schema is an error.",
    "RS-522": "A missing program is named, and a dying one's complaint is quoted without secrets.",
    "RS-523": "Nothing of a source's process is left behind, by a stop, an error or long idleness.",
    "RS-524": "People switch sources on and off, for themselves and for a session, to stay.",
    "RS-525": "A source that came with a project runs only as a person has enabled it.",
    "RS-526": "What an agent requires is switched on for it; what is not there is named.",
    "RS-527": "A test of a source reports step by step and advises what to do.",
    "RS-528": "A source's health is unknown, ok, failing or needs_auth, with its last error and "
    "number of tools.",
    "RS-529": "An agent gets the tools of sources under names of their own, and their results as "
    "data; one that fails does not stop it.",
    "RS-530": "A changed configuration or credential counts from the next call.",
    "RS-531": "Bearer tokens and headers carry credentials; a refusal asks for a new one by name.",
    "RS-532": "What a source says against the arguments of a call reaches whoever made it.",
    "RS-541": "A person signs in by OAuth: discovery, registration, PKCE and resource indicator.",
    "RS-542": "Tokens are encrypted at rest and masked wherever text goes out.",
    "RS-543": "Tokens that ran out are refreshed, after a restart too.",
    "RS-544": "A refused token is refreshed once; after that a person is asked.",
    "RS-545": "A sign-in's callback is good once, for whoever began it.",
    "RS-546": "Signing out revokes the tokens and forgets them.",
    "RS-547": "Tokens go to the address that they were given for, and to no other.",
    "RS-548": "A client that is registered already is used with its own id and secret.",
    "RS-549": "A source that wants a sign-in is not bothered before there is one.",
    "RS-550": "Scopes of the configuration are asked for beside those that the source names.",
    "RS-561": "A Brave-compatible API is asked if its key is there; results are clean text and "
    "pages of the web.",
    "RS-562": "Without the key the provider's search is used, and without a model the search is "
    "skipped with the reason.",
    "RS-563": "A short rate limit is waited for; a long one is a reason, and other results stay.",
    "RS-564": "A failing search API is a reason, never a crash, and never shows the key.",
    "RS-565": "The shipped web search works as an MCP source.",
    "RS-566": "The shipped PDF source gives the text of pages, within its folders only.",
    "RS-567": "Three configurations ship: web search, PDF and an example that is off.",
    "RS-568": "A web search that a person switched off is not used.",
}
