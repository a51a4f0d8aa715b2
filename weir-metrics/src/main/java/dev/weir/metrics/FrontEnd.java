package dev.weir.metrics;

/** The place where the reader of an advice can change something. */
public enum FrontEnd {
    /** Code of the program, which has settings and controls as well. */
    CODE,
    /** Command line: options, properties of the clients, and the controls of {@code weir console}. */
    COMMAND_LINE,
    /** The console's page, which has controls alone. */
    CONSOLE,
    /** Spring application: properties, and the beans that make the pipeline. */
    SPRING
}
