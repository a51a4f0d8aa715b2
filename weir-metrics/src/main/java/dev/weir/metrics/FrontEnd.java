package dev.weir.metrics;

/** The place where the reader of an advice can change something. */
public enum FrontEnd {
    /** In the program's code, which has settings and controls as well. */
    CODE,
    /** At the command line: options, properties of the clients, and the controls of {@code weir console}. */
    COMMAND_LINE,
    /** On the console's page: its controls alone. */
    CONSOLE,
    /** In a Spring application: properties, and the beans that the pipeline is made of. */
    SPRING
}
