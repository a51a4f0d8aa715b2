package dev.weir.command.console;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Terminal;
import dev.weir.console.ConsoleServer;
import dev.weir.console.RunConsole;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The option {@code --console} and its token, for commands that run a pipeline or a benchmark. Only picocli sets the
 * fields.
 */
public final class ConsoleOption {

    @Option(
            names = "--console",
            arity = "0..1",
            fallbackValue = "0",
            paramLabel = "[HOST:]PORT",
            converter = ListenAddress.Converter.class,
            description = "Serve a page there that shows what runs and steers it; without a port, or with 0, any that"
                    + " is free. On loopback unless a host is given, which needs --token-file.")
    private @Nullable ListenAddress address;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "File with the token that the console demands: at least " + ConsoleServer.MIN_TOKEN
                    + " characters. Needed for a console beyond loopback.")
    private @Nullable Path tokenFile;

    /** Returns whether an address was given. */
    public boolean isGiven() {
        return address != null || tokenFile != null;
    }

    /** Starts the console if an address was given. */
    @Nullable
    public ConsoleServer start(Terminal terminal) {
        return startedIfGiven(terminal, ConsoleServer.Builder::start);
    }

    /**
     * Starts a console for the runs of a benchmark.
     *
     * @param name the benchmark's name
     */
    public @Nullable RunConsole startForRuns(Terminal terminal, String name, RunConsole.Orders orders) {
        return startedIfGiven(terminal, settings -> settings.startForRuns(name, orders));
    }

    /** Starts a console in any case, by default on a free loopback port. */
    public ConsoleServer startAnyway(Terminal terminal) {
        return started(terminal, address == null ? new ListenAddress(null, 0) : address, ConsoleServer.Builder::start);
    }

    private <T> @Nullable T startedIfGiven(Terminal terminal, Starting<T> starting) {
        if (address == null) {
            if (tokenFile != null) {
                throw CliFailure.usage("--token-file goes with --console", "");
            }
            return null;
        }
        return started(terminal, address, starting);
    }

    /** Starts a console with the given settings. */
    @FunctionalInterface
    private interface Starting<T> {
        T start(ConsoleServer.Builder settings) throws IOException;
    }

    private <T> T started(Terminal terminal, ListenAddress at, Starting<T> starting) {
        ConsoleServer.Builder settings = ConsoleServer.builder().port(at.port());
        if (at.host() != null) {
            settings.host(at.host());
        }
        try {
            if (tokenFile != null) {
                settings.token(TokenFile.read(tokenFile, terminal));
            }
            return starting.start(settings);
        } catch (IllegalArgumentException e) {
            throw CliFailure.usage(
                    "--console=" + at + ": " + e.getMessage(),
                    tokenFile == null ? "Name its file with --token-file." : "");
        } catch (IOException e) {
            throw CliFailure.work(
                    "cannot listen on --console=" + at + ": " + CliFailure.reason(e),
                    "Choose an address of this machine and a port that is free; 0 is any.",
                    e);
        }
    }
}
