package dev.weir.cli.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.cli.fleet.FleetPage;
import dev.weir.cli.fleet.FleetRun;
import dev.weir.cli.pipeline.LimiterFields;
import dev.weir.command.client.ClusterOptions;
import dev.weir.command.console.ListenAddress;
import dev.weir.command.console.TokenFile;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.Printable;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code weir console}: shows and controls a running pipeline, through the console of its process. */
@Command(
        name = "console",
        sortOptions = false,
        description = {
            "Look at a running pipeline, and change it while it runs.",
            "It talks to the console of the process: of weir demo, of weir pipe --console, or of an application that"
                    + " starts a ConsoleServer.",
            "With --group, or several addresses, it serves one page over all of them: members, lag, limiters, and the"
                    + " pipeline that limits the whole."
        },
        footer = {
            "",
            "Settings: source.paused, partition.TOPIC-N.paused (true or false); source.rate (records a second, or off);"
                    + " stage.NAME.parallelism, dispatcher.NAME.size (a number); breaker.NAME (open or closed); log.LOGGER (info, debug, ...)."
                    + " Each takes effect at once; nothing is lost or doubled.",
            "",
            "Exits with 1 if a setting was refused.",
            "",
            "  weir console 4711                                      what it does now",
            "  weir console 4711 --set source.paused=true             pause it",
            "  weir console 4711 --set source.rate=500                at most 500 records a second",
            "  weir console http://127.0.0.1:9500 --timeline t.json   all changes so far",
            "  weir console http://127.0.0.1:9500 --replay t.json     the same changes again, at their times",
            "  weir console --group orders --group invoices --bootstrap-server localhost:9092   a page over both groups"
        })
public final class ConsoleCommand implements Callable<Integer> {

    @ParentCommand
    private CommandContext weir;

    @Parameters(
            arity = "0..*",
            paramLabel = "PID|URL",
            description = "The process, or the address that its console printed; several for one page over them.")
    private List<String> targets = new ArrayList<>();

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            description = "Serve one page over the members of this group, consumer or share; may be repeated.")
    private List<String> groups = new ArrayList<>();

    @ArgGroup(exclusive = false, multiplicity = "0..1")
    private @Nullable ClusterOptions cluster;

    @Option(
            names = "--listen",
            paramLabel = "[HOST:]PORT",
            converter = ListenAddress.Converter.class,
            description = "Where that page is; by default any port of loopback. Beyond loopback it needs --token-file.")
    private @Nullable ListenAddress listen;

    @Option(names = "--set", paramLabel = "K=V", description = "Change a setting; may be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--timeline",
            paramLabel = "FILE",
            description = "Write all changes so far to FILE, as JSON, after those of this command.")
    private @Nullable Path timeline;

    @Option(
            names = "--replay",
            paramLabel = "FILE",
            description = "Make the changes of FILE, which --timeline has written, again: the first one now, the others"
                    + " as long after it as they were. After the changes of --set.")
    private @Nullable Path replay;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "File with the token that the console demands; each console, and the page over them.")
    private @Nullable Path tokenFile;

    @Option(names = "--json", description = "Print the answer as one JSON object on standard output.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        checkOptions();
        String token = tokenFile == null ? null : TokenFile.read(tokenFile, weir.terminal());
        if (isFleet()) {
            List<URI> addresses = targets.stream().map(ConsoleAddress::of).toList();
            try (FleetRun fleet = FleetRun.open(groups, addresses, cluster, token)) {
                new FleetPage(weir, fleet).run(listen, token, json);
            }
            return ExitCode.DONE;
        }
        String target = targets.getFirst();
        Replay changes = replay == null ? null : Replay.read(replay);
        URI address = ConsoleAddress.of(target);
        try (ConsoleClient console = new ConsoleClient(address, token)) {
            JsonNode report = settings.isEmpty() ? null : console.set(settings);
            if (changes != null) {
                report = replayed(changes, console, report);
            }
            if (timeline != null) {
                JsonNode entries = console.get("/api/timeline");
                OutputFile.write("--timeline", timeline, entries.toPrettyString() + System.lineSeparator());
            }
            JsonNode state = console.get("/api/state");
            JsonNode refused = report == null ? null : report.path("refused");
            String error = refused == null || refused.isEmpty() ? null : error(refused);
            if (json) {
                tell(address, report, state, error);
            } else {
                show(address, report, state);
            }
            if (error != null) {
                throw CliFailure.work(error, "");
            }
            return ExitCode.DONE;
        }
    }

    private boolean isFleet() {
        return !groups.isEmpty() || targets.size() > 1;
    }

    private void checkOptions() {
        if (groups.isEmpty() != (cluster == null)) {
            throw CliFailure.usage("--group and --bootstrap-server go together", "");
        }
        if (!isFleet() && targets.isEmpty()) {
            throw CliFailure.usage("Missing required parameter: 'PID|URL'", "Or name a group with --group.");
        }
        if (listen != null && (!isFleet() || json)) {
            throw CliFailure.usage("--listen goes with --group, or with several addresses, and not with --json", "");
        }
        if (isFleet() && (!settings.isEmpty() || timeline != null || replay != null)) {
            throw CliFailure.usage(
                    "--set, --timeline and --replay go with the address of one console",
                    "The page over several only shows.");
        }
        OutputFile.check("--timeline", timeline);
        groups.stream().filter(String::isBlank).findFirst().ifPresent(each -> {
            throw CliFailure.badValue("--group", each, "the name of a group");
        });
    }

    /** Makes the changes and reports each. A refused change does not stop the other changes. */
    private JsonNode replayed(Replay changes, ConsoleClient console, @Nullable JsonNode before)
            throws InterruptedException {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        ObjectNode applied = all.putObject("applied");
        ArrayNode refused = all.putArray("refused");
        if (before != null) {
            take(before, applied, refused);
        }
        changes.play(change -> {
            JsonNode report = console.set(Map.of(change.key(), change.value()));
            take(report, applied, refused);
            weir.terminal()
                    .note("weir: " + (report.path("refused").isEmpty() ? "" : "refused ") + change.key() + "="
                            + change.value());
        });
        return all;
    }

    private static void take(JsonNode report, ObjectNode applied, ArrayNode refused) {
        report.path("applied").properties().forEach(each -> applied.set(each.getKey(), each.getValue()));
        report.path("refused").forEach(refused::add);
    }

    private static String error(JsonNode refused) {
        JsonNode first = refused.get(0);
        int more = refused.size() - 1;
        return "refused " + first.path("key").asText() + "="
                + first.path("value").asText() + ": " + first.path("reason").asText()
                + (more > 0 ? " (and " + more + " more)" : "");
    }

    private void tell(URI address, @Nullable JsonNode report, JsonNode state, @Nullable String error) {
        weir.json().write(line -> {
            line.writeBooleanField("accepted", error == null);
            line.writeFieldName("applied");
            line.writeRawValue(report == null ? "{}" : report.path("applied").toString());
            line.writeFieldName("refused");
            line.writeRawValue(report == null ? "[]" : report.path("refused").toString());
            line.writeStringField("console", address.toString());
            line.writeFieldName("limiter");
            line.writeRawValue(
                    state.path("limiter").isMissingNode()
                            ? "null"
                            : state.path("limiter").toString());
            line.writeFieldName("state");
            line.writeRawValue(state.toString());
            if (error != null) {
                line.writeStringField("error", error);
            }
        });
        weir.errorIsReported();
    }

    private void show(URI address, @Nullable JsonNode report, JsonNode state) {
        println("console  " + address);
        println("pipeline " + state.path("pipeline").asText() + ", "
                + state.path("state").asText());
        JsonNode limiter = state.path("limiter");
        if (limiter.isObject()) {
            JsonNode measured = limiter.path("measured_gain");
            println("limiter  " + limiter.path("kind").asText() + ": "
                    + limiter.path("sentence").asText());
            println("         to do: " + limiter.path("advice").asText()
                    + LimiterFields.gains(
                            limiter.path("expected_gain").asDouble(),
                            measured.isNumber() ? measured.asDouble() : null));
        }
        state.path("why").forEach(why -> println("why      " + why.asText()));
        state.path("controls")
                .forEach(knob -> println("setting  " + knob.path("key").asText() + "="
                        + knob.path("value").asText()));
        if (report != null) {
            report.path("applied")
                    .properties()
                    .forEach(each -> println(
                            "applied  " + each.getKey() + "=" + each.getValue().asText()));
        }
        weir.out().flush();
    }

    private void println(String line) {
        weir.out().println(Printable.line(line));
    }
}
