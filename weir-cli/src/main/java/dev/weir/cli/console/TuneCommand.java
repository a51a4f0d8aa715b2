package dev.weir.cli.console;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.command.console.TokenFile;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.Progress;
import dev.weir.console.tune.TuneReport;
import dev.weir.console.tune.Tuner;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code weir tune}: searches for better settings of a running pipeline, through the console of its process. */
@Command(
        name = "tune",
        sortOptions = false,
        description = {
            "Search for better settings of a running pipeline, while it runs.",
            "It changes one control at a time through the console of the process, measures the rate before and after,"
                    + " and takes back what has no gain. It needs a backlog: a pipeline that keeps up with all that"
                    + " arrives has no rate to raise."
        },
        footer = {
            "",
            "A step is taken back as well if records begin to fail, grow older than --max-latency, or fill the heap."
                    + " The best setting stays in force until the process ends; the last lines say how to make it"
                    + " permanent. Ctrl-C ends the search with the last setting that was accepted.",
            "",
            "  weir tune 4711                                     the process that has the console",
            "  weir tune http://127.0.0.1:9500 --max-latency 1s   no record may get older than a second",
            "  weir tune 4711 --raise lookup                      a stage with one worker may get more, too",
            "  weir tune 4711 --no-apply                          only find out what it would bring"
        })
public final class TuneCommand implements Callable<Integer> {

    @ParentCommand
    private CommandContext weir;

    @Parameters(paramLabel = "PID|URL", description = "The process, or the address that its console printed.")
    private String target;

    @Option(
            names = "--window",
            paramLabel = "TIME",
            defaultValue = "2s",
            description = "How long a rate is measured, 100ms to 1m. Default: ${DEFAULT-VALUE}.")
    private Duration window;

    @Option(
            names = "--max-latency",
            paramLabel = "TIME",
            description = "The age that the oldest record in the pipeline may reach. Default: four times its age at the"
                    + " start, at least 5s.")
    private @Nullable Duration maxLatency;

    @Option(
            names = "--max-steps",
            paramLabel = "N",
            defaultValue = "40",
            description = "Make at most N steps, 1 to 1,000. Default: ${DEFAULT-VALUE}.")
    private int maxSteps;

    @Option(
            names = "--max-workers",
            paramLabel = "N",
            defaultValue = "256",
            description =
                    "Give no stage and no dispatcher more than N workers, 1 to 100,000: a service may refuse calls"
                            + " beyond some number of clients. Default: ${DEFAULT-VALUE}.")
    private int maxWorkers;

    @Option(
            names = "--raise",
            paramLabel = "STAGE",
            description = "A stage with one worker that may get more; may be repeated. Others keep one worker, since"
                    + " their order may need that.")
    private List<String> raised = new ArrayList<>();

    @Option(
            names = "--apply",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Leave the best setting in force, or (--no-apply) restore the first one. Default: --apply.")
    private boolean apply;

    @Option(names = "--token-file", paramLabel = "FILE", description = "File with the token that the console demands.")
    private @Nullable Path tokenFile;

    @Option(names = "--json", description = "Print a line of JSON for each step, and a summary, on standard output.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        Tuner tuner = tuner();
        String token = tokenFile == null ? null : TokenFile.read(tokenFile, weir.terminal());
        URI address = ConsoleAddress.of(target);
        AtomicInteger steps = new AtomicInteger();
        TuneOutput output = new TuneOutput(weir, json);
        try (ConsoleClient console = new ConsoleClient(address, token);
                Progress progress = weir.progress()) {
            ConsoleTarget pipeline = new ConsoleTarget(
                    console,
                    () -> progress.update(() -> String.format(Locale.ROOT, "measuring step %d", steps.get() + 1)));
            pipeline.check();
            JsonNode state = console.get("/api/state");
            checkRaised(state);
            Map<String, String> start = new HashMap<>();
            state.path("controls")
                    .forEach(control -> start.put(
                            control.path("key").asText(), control.path("value").asText()));
            weir.shutdown().onStop(tuner::stop);
            Set<String> touched = new TreeSet<>();
            TuneReport report;
            try {
                report = tuner.run(pipeline, step -> {
                    steps.set(step.number());
                    touched.addAll(step.settings().keySet());
                    weir.terminal().clearStatus();
                    output.step(step);
                });
            } catch (RuntimeException failure) {
                if (!apply) {
                    restoreAfter(failure, pipeline, touched, start);
                }
                throw failure;
            }
            if (!apply && report.end() != TuneReport.End.PIPELINE_ENDED) {
                restore(pipeline, report.settings().keySet(), start);
            }
            weir.terminal().clearStatus();
            output.summary(report, apply);
            return TuneOutput.isFailure(report) ? ExitCode.FAILED : ExitCode.DONE;
        }
    }

    private void checkRaised(JsonNode state) {
        List<String> stages = state.path("stages")
                .valueStream()
                .map(stage -> stage.path("name").asText())
                .toList();
        for (String stage : raised) {
            if (!stages.contains(stage)) {
                throw CliFailure.badValue(
                        "--raise", stage, "a stage of the pipeline (" + String.join(", ", stages) + ")");
            }
        }
    }

    private Tuner tuner() {
        Tuner.Builder settings = Tuner.builder();
        try {
            settings.window(window).maxSteps(maxSteps).maxWorkers(maxWorkers);
            if (maxLatency != null) {
                settings.maxLatency(maxLatency);
            }
        } catch (IllegalArgumentException e) {
            throw CliFailure.usage(
                    String.valueOf(e.getMessage()),
                    "The options are --window, --max-steps, --max-workers and --max-latency.");
        }
        raised.forEach(settings::raise);
        return settings.build();
    }

    /**
     * Restores the original values of the changed settings.
     *
     * @throws CliFailure if the pipeline refuses a setting; the message names it
     */
    private static void restore(ConsoleTarget pipeline, Set<String> keys, Map<String, String> start)
            throws InterruptedException {
        List<String> refused = new ArrayList<>();
        // Restore "stage..." before "dispatcher...".
        for (String key : keys.stream().sorted().toList().reversed()) {
            String value = start.get(key);
            if (value != null) {
                pipeline.set(Map.of(key, value))
                        .refused()
                        .forEach(each -> refused.add(key + "=" + value + " (" + each.reason() + ")"));
            }
        }
        if (!refused.isEmpty()) {
            throw CliFailure.work(
                    "some settings were not restored: " + String.join(", ", refused), "Set it by weir console --set.");
        }
    }

    private static void restoreAfter(
            RuntimeException failure, ConsoleTarget pipeline, Set<String> keys, Map<String, String> start)
            throws InterruptedException {
        try {
            restore(pipeline, keys, start);
        } catch (RuntimeException again) {
            failure.addSuppressed(again);
        }
    }
}
