package dev.weir.cli.mcp;

import dev.weir.cli.mcp.Arguments.Parameter;
import java.util.List;
import java.util.Map;

/**
 * A question that an agent may ask; it changes nothing. Immutable; may be called by several threads at once.
 *
 * @param name as it is called
 * @param title for people
 * @param description what it answers, for the agent that chooses
 * @param parameters by name, in the order in which they are shown
 * @param required names of parameters that a call must have
 */
record Tool(
        String name,
        String title,
        String description,
        Map<String, Parameter> parameters,
        List<String> required,
        Work work) {

    /** Finds an answer. */
    @FunctionalInterface
    interface Work {

        /**
         * Writes the answer. An interrupt gives up.
         *
         * @throws dev.weir.cli.terminal.CliFailure if it cannot be found out
         */
        void answer(Arguments arguments, Answer answer) throws InterruptedException;
    }
}
