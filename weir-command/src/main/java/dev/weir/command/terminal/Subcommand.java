package dev.weir.command.terminal;

/**
 * A subcommand of {@code weir} that another module adds. {@link java.util.ServiceLoader} finds the implementations,
 * which are picocli commands with a public constructor without parameters. Each command line creates a new instance.
 */
public interface Subcommand {}
