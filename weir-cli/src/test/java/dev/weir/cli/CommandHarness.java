package dev.weir.cli;

import dev.weir.command.terminal.Shutdown;
import dev.weir.command.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Runs command lines in this process and keeps their output. Confined to one thread. */
public final class CommandHarness {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    public final Terminal terminal = new Terminal(printer(err), false);
    public final Shutdown shutdown = new Shutdown(terminal);
    public final Main weir = new Main(printer(out), terminal, shutdown);

    public int run(String... args) {
        return weir.execute(args);
    }

    /** As {@link #run(String...)}, for {@link #weir} with additional subcommands. */
    public int run(CommandLine line, String... args) {
        return weir.execute(line, args);
    }

    /** Runs {@code weir probe args}. The subcommand {@code probe} calls {@code body}. */
    int runProbe(Function<Main, Integer> body, String... args) {
        CommandLine line = new CommandLine(weir).addSubcommand(new Probe(() -> body.apply(weir)));
        String[] all = new String[args.length + 1];
        all[0] = "probe";
        System.arraycopy(args, 0, all, 1, args.length);
        return weir.execute(line, all);
    }

    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private static PrintStream printer(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    @Command(name = "probe")
    private record Probe(Callable<Integer> body) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            return body.call();
        }
    }
}
