package dev.weir.metrics;

/** The interface in which a user follows advice. Each interface allows different changes. */
public enum FrontEnd {
    /** Program code, which can change settings and use the controls. */
    CODE,
    /** The command line: options, client properties, and the controls of {@code weir console}. */
    COMMAND_LINE,
    /** The console's web page, which has only controls. */
    CONSOLE,
    /** A Spring application: properties, and the beans that build the pipeline. */
    SPRING
}
