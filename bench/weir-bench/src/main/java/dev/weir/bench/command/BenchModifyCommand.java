package dev.weir.bench.command;

import dev.weir.bench.live.Answer;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderSender;
import dev.weir.bench.workload.ClientProperties;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.ExitCode;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code weir bench modify}. Confined to the main thread. */
@Command(
        name = "modify",
        sortOptions = false,
        description = {
            "Change a run of weir bench run or compare while it is running, from another terminal.",
            "It takes one order, waits until that is done and prints a JSON object: status, applied, atMs, timeline."
                    + " Runs that can be changed have scenario work, at-least-once, at-most-once or copy and"
                    + " topic.recordsPerSecond; searches of weir bench explore and steady runs with method.live take some orders.",
            "Exit code 1 if there is no such run, 2 if the order is wrong or refused."
        })
final class BenchModifyCommand implements Callable<Integer> {

    @ParentCommand
    private BenchCommand bench;

    @Option(
            names = "--run",
            paramLabel = "DIR",
            description =
                    "Folder of its results, or its name in bench-results (default: the one that is running there).")
    private @Nullable Path run;

    @Option(
            names = "--set",
            paramLabel = "K=V",
            arity = "1..*",
            description = "New values from now on: producerRate (records a second), work (how long a handler blocks),"
                    + " consumers, client.PROPERTY (which restarts the members).")
    private List<String> set = List.of();

    @Option(
            names = "--restart-consumers",
            paramLabel = "N|N%",
            description = "Let N consumers, or N percent of them, leave and join again, in whole processes.")
    private @Nullable String restartConsumers;

    @Option(names = "--pause", paramLabel = "TIME", description = "Pause all members for TIME.")
    private @Nullable String pause;

    @Option(
            names = "--drain",
            description = "Send nothing and let handlers take no time until nothing is left; then continue as before.")
    private boolean drain;

    @Option(names = "--discard-stats", description = "Discard what was measured so far.")
    private boolean discardStats;

    @Option(names = "--extend", paramLabel = "TIME", description = "Extend the run by TIME.")
    private @Nullable String extend;

    @Mixin
    private FaultOptions faults;

    @Option(names = "--end", description = "End the run now, with its results.")
    private boolean end;

    @Option(names = "--json", description = "Print nothing but the JSON object, no note for people.")
    private boolean json;

    @Override
    public Integer call() {
        Order order = order();
        try {
            Path folder = folder();
            OrderSender sender = OrderSender.to(folder);
            Thread waiting = Thread.currentThread();
            bench.weir().shutdown().onStop(waiting::interrupt);
            Answer answer = sender == null ? null : sender.send(order);
            if (answer == null) {
                throw none(
                        sender == null
                                ? "no run that can be changed is running in " + folder
                                : "the run in " + folder + " ended before the order was done");
            }
            return told(answer);
        } catch (InterruptedException e) {
            throw CliFailure.work(
                    "stopped before the order was done", "An order that had started is completed anyway.", e);
        } catch (UncheckedIOException e) {
            throw CliFailure.work(String.valueOf(e.getMessage()), "", e);
        }
    }

    private Order order() {
        try {
            Order order = Order.of(fields());
            ClientProperties.check(order);
            return order;
        } catch (IllegalArgumentException e) {
            throw CliFailure.usage(String.valueOf(e.getMessage()), "");
        }
    }

    private Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (!set.isEmpty()) {
            fields.put("set", values());
        }
        putIfSaid(fields, "restart-consumers", restartConsumers);
        putIfSaid(fields, "pause", pause);
        putIfSaid(fields, "extend", extend);
        putIfSaid(fields, "drain", drain ? "true" : null);
        putIfSaid(fields, "discard-stats", discardStats ? "true" : null);
        putIfSaid(fields, "end", end ? "true" : null);
        faults.said().forEach(fields::put);
        return fields;
    }

    private static void putIfSaid(Map<String, Object> fields, String kind, @Nullable String value) {
        if (value != null) {
            fields.put(kind, value);
        }
    }

    private Map<String, String> values() {
        Map<String, String> values = new LinkedHashMap<>();
        for (String each : set) {
            int equals = each.indexOf('=');
            if (equals < 1) {
                throw CliFailure.usage("--set takes KEY=VALUE: --set " + each, "For example --set producerRate=100");
            }
            if (values.put(each.substring(0, equals), each.substring(equals + 1)) != null) {
                throw CliFailure.usage("--set names a key twice: " + each.substring(0, equals), "");
            }
        }
        return values;
    }

    private Path folder() {
        if (run != null) {
            Path inResults = BenchResultsCommand.FOLDER.resolve(run);
            return !Files.isDirectory(run) && Files.isDirectory(inResults) ? inResults : run;
        }
        List<Path> found = OrderSender.changeable(BenchResultsCommand.FOLDER);
        if (found.isEmpty()) {
            throw none("no run that can be changed is running in " + BenchResultsCommand.FOLDER);
        }
        if (found.size() > 1) {
            throw CliFailure.usage(
                    "several runs are running",
                    "Name one by --run: " + found.stream().map(Path::toString).collect(Collectors.joining(", ")));
        }
        return found.getFirst();
    }

    private static CliFailure none(String what) {
        return CliFailure.work(
                what,
                "Start one by 'weir bench run FILE' with scenario work, at-least-once, at-most-once or copy and"
                        + " topic.recordsPerSecond, and name its results by --run.");
    }

    private int told(Answer answer) {
        bench.weir().json().write(line -> {
            line.writeStringField("status", answer.status());
            line.writeObjectFieldStart("applied");
            for (Map.Entry<String, String> each : answer.applied().entrySet()) {
                line.writeStringField(each.getKey(), each.getValue());
            }
            line.writeEndObject();
            line.writeNumberField("atMs", answer.atMs());
            line.writeFieldName("timeline");
            line.writeRawValue(answer.timelineJson());
            if (answer.error() != null) {
                line.writeStringField("error", answer.error());
            }
        });
        if (!answer.wasAccepted()) {
            bench.weir().errorIsReported();
            throw CliFailure.usage("refused: " + answer.error(), "");
        }
        if (!json) {
            answer.applied().forEach((key, what) -> bench.weir().terminal().note(key + ": " + what));
        }
        return ExitCode.DONE;
    }
}
