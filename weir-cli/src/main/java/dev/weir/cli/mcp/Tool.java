package dev.weir.cli.mcp;

import dev.weir.cli.mcp.Arguments.Parameter;
import java.util.List;
import java.util.Map;

/**
 * A read-only query for agents. Immutable; may be called by several threads at once.
 *
 * @param name the name used in calls
 * @param title the title shown to people
 * @param description its purpose, which helps an agent choose a tool
 * @param parameters parameters by name, in display order
 * @param required names of required parameters
 */
record Tool(
        String name,
        String title,
        String description,
        Map<String, Parameter> parameters,
        List<String> required,
        Work work) {

    /** Produces an answer. */
    @FunctionalInterface
    interface Work {

        /**
         * Writes the answer. An interrupt aborts it.
         *
         * @throws dev.weir.command.terminal.CliFailure if there is no answer
         */
        void answer(Arguments arguments, Answer answer) throws InterruptedException;
    }
}
