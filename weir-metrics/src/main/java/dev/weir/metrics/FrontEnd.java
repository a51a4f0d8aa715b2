package dev.weir.metrics;

/** The place where the reader of an advice can apply it. */
public enum FrontEnd {
    /** Program code, which also has settings and controls. */
    CODE,
    /** Command line: options, properties of the clients, and the controls of {@code weir console}. */
    COMMAND_LINE,
    /** The console's page, which has only controls. */
    CONSOLE,
    /** Spring application: properties, and the beans that build the pipeline. */
    SPRING
}
