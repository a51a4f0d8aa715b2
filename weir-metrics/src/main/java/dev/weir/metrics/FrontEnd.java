package dev.weir.metrics;

/** The place in which the reader of an advice can follow it. */
public enum FrontEnd {
    /** Program code, in which settings and controls are available too. */
    CODE,
    /** The command line: options, client properties, and the controls of {@code weir console}. */
    COMMAND_LINE,
    /** The console's web page, which has only controls. */
    CONSOLE,
    /** A Spring application: properties, and the beans that build the pipeline. */
    SPRING
}
