package dev.weir.cli.demo;

import dev.weir.cli.console.Endpoints;
import dev.weir.cli.metrics.MetricsOption;
import dev.weir.cli.tune.TuneOption;
import dev.weir.cli.tune.Tuning;
import dev.weir.command.console.ConsoleOption;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Pipeline;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/**
 * {@code weir demo}: starts a real broker, sends generated traffic through the Asimov pipeline, and gives a verdict on
 * the pipeline's output.
 */
@Command(
        name = "demo",
        description = {
            "Watch a back-pressured pipeline move real records through a real Kafka broker.",
            "",
            "Starts a broker in this process, generates web-analytics events as JSON, translates them to Protobuf,"
                    + " and puts malformed ones into a dead-letter topic. At the end both topics are read back:"
                    + " nothing may be lost, duplicated, out of order within its session, or in the wrong topic.",
            ""
        },
        footer = {
            "",
            "The console ends with the demo, unless --keep leaves it open.",
            "",
            "Ctrl-C ends the generator early; its events are still translated and verified.",
            "",
            "Latency counts from when an event was made until the broker wrote its result. With --rate it counts from"
                    + " when the event was planned, even if it could not be sent then. Without, the generator keeps at"
                    + " most 20,000 events ahead of the pipeline, and latency is mostly waiting in the topic.",
            "The rate counts from the first event made to the last output written.",
            "",
            "Exits with 1 if anything was lost, duplicated, out of order or misplaced.",
            "",
            "  weir demo                            fast, about " + DemoCommand.ESTIMATE,
            "  weir demo --keep                     the same, and its console stays until Ctrl-C",
            "  weir demo --seconds 60 --rate 5000   a minute at an even pace",
            "  weir demo --records 200000 --json    the summary for a program",
            "  weir demo --tune                     from a naive pipeline to this one"
        })
public final class DemoCommand implements Callable<Integer> {

    /** Time of a demo with the default number of events on two cores. The README and the launcher contain it too. */
    static final String ESTIMATE = "20 seconds";

    /** Makes the pipeline under test. */
    @FunctionalInterface
    interface PipelineFactory {
        Pipeline create(
                ConsumerSettings<byte[], byte[]> consumer,
                ProducerSettings<byte[], byte[]> producer,
                Runnable onDeadLetter);
    }

    @ParentCommand
    private CommandContext weir;

    @Option(
            names = "--records",
            paramLabel = "N",
            description =
                    "Generate N records. Default: 300,000, or no limit with --seconds. With --tune: N that are read"
                            + " again and again, 2,000 to 500,000; default 150,000, or 60,000 with --waiting.")
    private @Nullable Integer records;

    @Option(names = "--seconds", paramLabel = "S", description = "Generate for S seconds.")
    private @Nullable Integer seconds;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description = "Generate R records per second. Default: as fast as they are translated.")
    private @Nullable Integer rate;

    @Option(
            names = "--seed",
            paramLabel = "X",
            description = "Seed of the traffic: equal numbers make equal events. Default: ${DEFAULT-VALUE}.")
    private long seed = 42;

    @Mixin
    private ConsoleOption console;

    @Option(names = "--no-console", description = "Serve no console. Without it there is one, on loopback.")
    private boolean noConsole;

    @Option(names = "--keep", description = "Leave the console open when the demo is done, until Ctrl-C.")
    private boolean keep;

    @Mixin
    private MetricsOption metrics;

    @Mixin
    private TuneOption tune;

    @Option(names = "--json", description = "Print the summary as one line of JSON.")
    private boolean json;

    private final PipelineFactory pipelines;

    DemoCommand() {
        this((consumer, producer, onDeadLetter) ->
                AsimovPipeline.of(consumer, producer, malformed -> onDeadLetter.run()));
    }

    /** Creates a demo of another pipeline. Tests plant a fault that the verdict must find. */
    DemoCommand(PipelineFactory pipelines) {
        this.pipelines = pipelines;
    }

    @Override
    public Integer call() throws InterruptedException {
        DemoPlan plan = DemoPlan.of(records, seconds, rate, seed);
        if (noConsole && console.isGiven()) {
            throw CliFailure.usage("--no-console does not go with --console and --token-file", "");
        }
        if (keep && noConsole) {
            throw CliFailure.usage("--keep does not go with --no-console: there is no console to keep", "");
        }
        if (tune.isGiven()) {
            if (seconds != null || rate != null || metrics.isGiven()) {
                throw CliFailure.usage(
                        "--tune does not go with --seconds, --rate and --metrics",
                        "--records says how many records the topic has.");
            }
            int events = tune.events(records);
            try (Endpoints endpoints = endpoints()) {
                noteKeep();
                int exitCode = new Tuning(weir, tune, events, seed, json).run(endpoints);
                keepOpen();
                return exitCode;
            }
        }
        try (Endpoints endpoints = endpoints()) {
            noteKeep();
            DemoSummary summary = new DemoRun(weir, plan, pipelines, endpoints).run();
            tell(summary);
            keepOpen();
            return summary.exitCode();
        }
    }

    private void noteKeep() {
        if (!keep && !noConsole) {
            weir.terminal().note("weir: the console ends with the demo; --keep leaves it open");
        }
    }

    private void keepOpen() throws InterruptedException {
        if (keep) {
            weir.terminal().note("the console stays open; Ctrl-C ends");
            weir.shutdown().await();
        }
    }

    private void tell(DemoSummary summary) {
        if (json) {
            weir.json().write(summary::writeTo);
            weir.errorIsReported();
        } else {
            new DemoReport(summary, weir.out().charset()).lines().forEach(weir.out()::println);
            weir.out().flush();
        }
    }

    private Endpoints endpoints() {
        return noConsole
                ? Endpoints.start(weir, json, console, metrics)
                : Endpoints.startWithConsole(weir, json, console, metrics);
    }
}
