"""Story 5 of the coach: the messages between the server and a person's windows."""

REQUIREMENTS = {
    "FR-050": "Every message of the specification has a typed model, in both directions.",
    "FR-054": "file:open reads the file, logs it and broadcasts fs:content.",
    "FR-055": "file:save writes the file, logs it and broadcasts fs:save_ack or fs:save_error.",
    "FR-056": "buffer:update keeps the text, counts it for the log and notes a jump in size.",
    "FR-057": "Every message that is an action is logged as one.",
    "FR-059": "A change that the watcher sees is broadcast as fs:tree_update.",
    "FR-062": "A message without a handler yet says NOT_IMPLEMENTED; here there is none such.",
    "SC-024": "Opening a file over the WebSocket reads, logs and shows it.",
    "SC-025": "An edit over the WebSocket is in the buffer and its log, and is not answered.",
    "SC-028": "A file that changes on disk changes in every connected window.",
    "EC-26": "Opening a file that is not there is answered with connection:error.",
    "EC-27": "A save that fails is told as fs:save_error; here the text is kept as an edit.",
    "CO-60": "Every message of the coach's catalogue says who sends it when.",
    "CO-61": "A folder that is expanded is answered with its tree, or with what is wrong.",
    "CO-62": "The terminal's size is kept; typing in it is a sign of life, its text is not kept.",
    "CO-63": "Scrolling and closing a folder are checked and not logged.",
    "CO-66": "State, buffers, diffs, tree and files are there over HTTP as over WebSocket and MCP.",
    "CO-67": "The whole protocol is published as one JSON Schema document.",
    "CO-68": "The web app's message types are generated from that document.",
}
