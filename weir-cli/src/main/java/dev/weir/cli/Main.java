package dev.weir.cli;

import dev.weir.cli.broker.BrokerCommand;
import dev.weir.cli.console.ConsoleCommand;
import dev.weir.cli.console.ProfileCommand;
import dev.weir.cli.console.TuneCommand;
import dev.weir.cli.demo.DemoCommand;
import dev.weir.cli.mcp.McpCommand;
import dev.weir.cli.pipe.PipeCommand;
import dev.weir.cli.records.ConsumeCommand;
import dev.weir.cli.records.ProduceCommand;
import dev.weir.cli.replay.ReplayCommand;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.DurationConverter;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.JsonLines;
import dev.weir.command.terminal.Logging;
import dev.weir.command.terminal.OutOfMemory;
import dev.weir.command.terminal.Printable;
import dev.weir.command.terminal.Progress;
import dev.weir.command.terminal.Secrets;
import dev.weir.command.terminal.Shutdown;
import dev.weir.command.terminal.Subcommand;
import dev.weir.command.terminal.Terminal;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The root command {@code weir}. Gives its subcommands the terminal, JSON output and stop signals. An instance runs one
 * command line, on the thread that calls {@link #execute}.
 *
 * <p>A subcommand is a {@code Callable<Integer>} in its own package, listed in {@code subcommands} below, or a {@link
 * Subcommand} of another module. It finds this object in a {@code @ParentCommand CommandContext weir} field, returns an
 * {@link ExitCode}, and throws {@link CliFailure} for errors that the user can act on.
 */
@Command(
        name = "weir",
        description = "Back-pressured Kafka pipelines.",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = Versions.Provider.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            BrokerCommand.class,
            ProduceCommand.class,
            ConsumeCommand.class,
            PipeCommand.class,
            ReplayCommand.class,
            ConsoleCommand.class,
            ProfileCommand.class,
            McpCommand.class,
            TuneCommand.class
        })
public final class Main implements Runnable, CommandContext {

    private static final String JSON = "--json";

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            description = "Show log lines from INFO on, and stack traces, on standard error.")
    private boolean verbose;

    @Option(
            names = "--log-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "Append log lines from INFO on to FILE; at 16 MB it becomes FILE.1, and so on up to FILE.4.")
    private @Nullable Path logFile;

    @Spec
    private CommandSpec spec;

    private final PrintStream out;
    private final Terminal terminal;
    private final Shutdown shutdown;

    /** True to report a failure as JSON: {@code --json} was given, and no line has reported it yet. */
    private boolean tellsErrors;

    Main(PrintStream out, Terminal terminal, Shutdown shutdown) {
        this.out = Printable.stream(out);
        this.terminal = terminal;
        this.shutdown = shutdown;
    }

    /** Runs one command line and exits with its exit code. Called by {@link Weir}, the entry point of the process. */
    public static void main(String[] args) {
        OutOfMemory.watch(List.of(args).contains(JSON));
        Terminal terminal = Terminal.ofProcess();
        System.exit(new Main(System.out, terminal, new Shutdown(terminal)).execute(args));
    }

    /**
     * Runs one command line without ending the process. Returns its exit code. The command replaces the logging
     * configuration and handles the stop signals of the process, so only one may run at a time.
     *
     * @param out receives the command's standard output; the caller owns {@code out} and {@code err}
     */
    public static int run(PrintStream out, PrintStream err, String... args) {
        Terminal terminal = new Terminal(err, false);
        return new Main(out, terminal, new Shutdown(terminal)).execute(args);
    }

    /** Runs one command line and prints its failure, if any. Returns the exit code. */
    int execute(String... args) {
        return execute(commandLine(), args);
    }

    /** Returns this command with all subcommands, including the subcommands of other modules. */
    CommandLine commandLine() {
        CommandLine line = new CommandLine(this);
        ServiceLoader.load(Subcommand.class, Subcommand.class.getClassLoader()).forEach(line::addSubcommand);
        return line.addSubcommand(new CompletionCommand()).addSubcommand(new WarmUpCommand());
    }

    /** Runs one command line, as {@link #execute(String...)} does. Tests add subcommands to {@code line}. */
    int execute(CommandLine line, String... args) {
        // Look at the raw arguments: a command line that picocli cannot parse must be reported as JSON too.
        List<String> words = List.of(args);
        List<String> small =
                words.stream().map(word -> word.toLowerCase(Locale.ROOT)).toList();
        tellsErrors = words.contains(JSON)
                || small.contains("--format=json")
                || Collections.indexOfSubList(small, List.of("--format", "json")) >= 0;
        line.setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false) // a value may begin with @
                .registerConverter(Duration.class, new DurationConverter())
                .setOut(new PrintWriter(out, true, out.charset()))
                .setErr(new PrintWriter(
                        terminal.stream(), true, terminal.stream().charset()))
                .setParameterExceptionHandler((e, all) -> fail(e.getCommandLine(), usageFailure(e, all)))
                .setExecutionExceptionHandler((e, command, parsed) -> fail(command, e))
                .setExecutionStrategy(this::configureThenRun);
        Boolean coloured = Weir.isColoured();
        // Class Weir decides about colours, so that all help texts look alike.
        if (coloured != null) {
            line.setColorScheme(Help.defaultColorScheme(coloured ? Help.Ansi.ON : Help.Ansi.OFF));
        }
        try {
            return line.execute(args);
        } catch (Throwable e) {
            // picocli handles only exceptions, not errors.
            return fail(line, e);
        } finally {
            terminal.clearStatus();
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No command given");
    }

    @Override
    public PrintStream out() {
        return out;
    }

    @Override
    public Terminal terminal() {
        return terminal;
    }

    @Override
    public Progress progress() {
        return new Progress(terminal, System::nanoTime);
    }

    @Override
    public JsonLines json() {
        return new JsonLines(out);
    }

    @Override
    public void errorIsReported() {
        tellsErrors = false;
    }

    @Override
    public void tellError(String error) {
        if (tellsErrors) {
            tellsErrors = false;
            json().write(line -> line.writeStringField("error", error));
        }
    }

    @Override
    public Shutdown shutdown() {
        return shutdown;
    }

    private int configureThenRun(ParseResult parsed) {
        try {
            // Help and version must not create a log file.
            if (!parsed.isUsageHelpRequested() && !parsed.isVersionHelpRequested()) {
                Logging.configure(verbose, logFile, terminal);
            }
            return new CommandLine.RunLast().execute(parsed);
        } catch (CliFailure e) {
            // picocli's exception handler handles only failures of commands, not of the logging configuration.
            return fail(spec.commandLine(), e);
        }
    }

    private int fail(CommandLine command, Throwable e) {
        CliFailure failure = e instanceof CliFailure known ? known : CliFailure.unexpected(e);
        String name = command.getCommandSpec().qualifiedName();
        String message = Printable.line(Secrets.redactAddresses(String.valueOf(failure.getMessage())));
        terminal.notes(name + ": " + message + wayOut(failure, message, name));
        if (verbose) {
            terminal.stackTrace(e);
        }
        try {
            tellError(message);
        } catch (CliFailure closed) {
            // Standard output cannot be written. Standard error has the failure already.
            return failure.exitCode();
        }
        return failure.exitCode();
    }

    private static String wayOut(CliFailure failure, String message, String commandName) {
        if (failure.exitCode() == ExitCode.WRONG_USAGE) {
            String hint = failure.wayOut().isEmpty() ? "" : Printable.line(failure.wayOut()) + " ";
            String end = message.endsWith("?") ? " " : ". ";
            return end + hint + "Try '" + commandName + " --help'.";
        }
        return failure.wayOut().isEmpty() ? "" : System.lineSeparator() + "  " + Printable.line(failure.wayOut());
    }

    private static CliFailure usageFailure(ParameterException e, String[] args) {
        String unknown =
                e instanceof CommandLine.MissingParameterException ? unknownOption(e.getCommandLine(), args) : null;
        // An unknown option is often the cause of a missing argument, which picocli reports instead.
        if (unknown != null) {
            List<String> meant = nearest(unknown, e.getCommandLine());
            return CliFailure.usage("Unknown option: '" + unknown + "'", didYouMean(meant));
        }
        List<String> meant = List.of();
        if (e instanceof CommandLine.UnmatchedArgumentException unmatched) {
            meant = nearest(unmatched.getUnmatched().getFirst(), e.getCommandLine());
            meant = meant.isEmpty() ? unmatched.getSuggestions() : meant;
        }
        return CliFailure.usage(
                String.valueOf(e.getMessage()).lines().findFirst().orElse(""), didYouMean(meant));
    }

    private static String didYouMean(List<String> meant) {
        return meant.isEmpty() ? "" : "Did you mean " + String.join(" or ", meant) + "?";
    }

    private static @Nullable String unknownOption(CommandLine command, String[] args) {
        return Stream.of(args)
                .takeWhile(arg -> !arg.equals("--"))
                .filter(arg -> arg.startsWith("--"))
                .map(arg -> arg.replaceFirst("=.*", ""))
                .filter(name -> !command.getCommandSpec().optionsMap().containsKey(name)
                        && !command.getCommandSpec().negatedOptionsMap().containsKey(name))
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the options closest to an argument, with at most half of its characters changed. picocli compares pairs
     * of characters and misses the shortest options.
     */
    private static List<String> nearest(String argument, CommandLine command) {
        String name = argument.replaceFirst("=.*", "");
        if (!name.startsWith("--")) {
            return List.of();
        }
        Map<Integer, List<String>> byDistance = new TreeMap<>();
        command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .forEach(option -> byDistance
                        .computeIfAbsent(distance(name, option.longestName()), each -> new ArrayList<>())
                        .add(option.longestName()));
        Map.Entry<Integer, List<String>> best = byDistance.entrySet().iterator().next();
        if (best.getKey() > Math.max(1, (name.length() - 2) / 2)) {
            return List.of();
        }
        // Two swapped characters are one typing mistake but two changes. Prefer options with the same characters.
        List<String> swapped = best.getValue().stream()
                .filter(option -> sorted(option).equals(sorted(name)))
                .toList();
        return swapped.isEmpty() ? best.getValue() : swapped;
    }

    private static String sorted(String text) {
        return text.chars().sorted().mapToObj(Character::toString).collect(Collectors.joining());
    }

    /** Edit distance: the smallest number of characters to change, add or remove. */
    private static int distance(String a, String b) {
        int[] above = IntStream.rangeClosed(0, b.length()).toArray();
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = above[0];
            above[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = above[j];
                above[j] = Math.min(changed, 1 + Math.min(above[j], above[j - 1]));
            }
        }
        return above[b.length()];
    }
}
