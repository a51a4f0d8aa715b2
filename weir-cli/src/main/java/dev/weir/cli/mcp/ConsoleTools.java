package dev.weir.cli.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.cli.mcp.Arguments.Parameter;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The tools that query a pipeline's process. Immutable. */
final class ConsoleTools {

    private static final int MOST_ENTRIES = 200;
    private static final int MOST_METHODS = 5;
    private static final int MOST_SECONDS = 30;

    private static final List<String> HEALTH = List.of("live", "ready", "progressing", "reason");

    private static final List<String> STAGE_SHARES = List.of("busy_share", "blocked_up_share", "blocked_down_share");

    /** Descriptions of a stage's states, by the JSON field with the state's share of time. */
    private static final Map<String, String> WAITS_FOR = waitsFor();

    private static final String NO_LIMITER = "the process has not said what limits it: it has not measured for long"
            + " enough, or nothing measures it (an application starts a LimiterProbe and shows it on its console)";

    private final PipelineProcess process;

    ConsoleTools(PipelineProcess process) {
        this.process = process;
    }

    List<Tool> all() {
        Map<String, Parameter> limit = Map.of(
                "limit", new Parameter.Count("Most partitions and records that are listed.", 1, MOST_ENTRIES, 20));
        return List.of(
                new Tool(
                        "state",
                        "State of the pipeline",
                        "State and health of the running pipeline: its stages with records per second and the share of"
                                + " time that each works (busy), waits for input (blocked_up) or for its output"
                                + " (blocked_down), its dispatchers, settings and topics.",
                        Map.of(),
                        List.of(),
                        this::state),
                new Tool(
                        "limiter",
                        "What limits the pipeline",
                        "What limits the pipeline's rate at this moment: kind, subject, finding, advice and expected"
                                + " gain, with the evidence for it. Changes are for people to make.",
                        Map.of(),
                        List.of(),
                        this::limiter),
                new Tool(
                        "why_stuck",
                        "Why records do not move",
                        "Why the pipeline does not move: a sentence for each partition, the oldest unfinished records"
                                + " with the stage that has them, why partitions are paused, and what each stage waits for.",
                        limit,
                        List.of(),
                        this::whyStuck),
                new Tool(
                        "profile",
                        "Where the processor's time goes",
                        "Records for some seconds where the pipeline spends processor time, allocates and waits, by"
                                + " stage, with the methods that take most.",
                        Map.of("seconds", new Parameter.Count("How long to record.", 1, MOST_SECONDS, 5)),
                        List.of(),
                        this::profile));
    }

    private void state(Arguments arguments, Answer answer) throws InterruptedException {
        JsonNode state = process.get("/api/state");
        head(state, answer);
        ObjectNode fields = answer.fields();
        for (String each : HEALTH) {
            answer.copy(state, each, fields, each, noConsumer(state));
        }
        answer.copy(state, "reads", fields, "reads", noConsumer(state));
        answer.copy(state, "writes", fields);
        Answer.list(fields, "stages", state.path("stages"), MOST_ENTRIES);
        Answer.list(fields, "dispatchers", state.path("dispatchers"), MOST_ENTRIES);
        Answer.list(fields, "controls", state.path("controls"), MOST_ENTRIES);
        if (hasConsumer(state)) {
            fields.put("partitions", state.path("partitions").size());
        } else {
            answer.unknown("partitions", noConsumer(state));
        }
        for (String each : List.of("commits", "failed_commits", "rebalances")) {
            answer.copy(state, each, fields, each, noConsumer(state));
        }
    }

    /** Writes the first fields of every answer. */
    private void head(JsonNode state, Answer answer) {
        answer.fields().put("console", process.toString());
        for (String each : List.of("at", "pipeline", "state")) {
            answer.copy(state, each, answer.fields());
        }
        JsonNode step = state.path("step");
        if (step.isTextual()) {
            answer.fields().set("step", step);
        }
    }

    private static boolean hasConsumer(JsonNode state) {
        return state.path("partitions").isArray();
    }

    private static String noConsumer(JsonNode state) {
        return state.path("state").asText().equals("starting")
                ? "the pipeline has not started yet"
                : "the console does not report it: the pipeline has no consumer of a consumer group";
    }

    private void limiter(Arguments arguments, Answer answer) throws InterruptedException {
        JsonNode state = process.get("/api/state");
        head(state, answer);
        JsonNode limiter = state.path("limiter");
        answer.copy(state, "limiter", answer.fields(), "limiter", NO_LIMITER);
        if (limiter.isObject() && limiter.path("measured_gain").isNull()) {
            ((ObjectNode) answer.fields().path("limiter")).put("measured_gain", Answer.UNKNOWN);
            answer.because("no advice was followed while the process measured");
        }
        ObjectNode evidence = answer.fields().putObject("evidence");
        Answer.list(evidence, "stages", state.path("stages"), MOST_ENTRIES);
        Answer.list(evidence, "dispatchers", state.path("dispatchers"), MOST_ENTRIES);
        Answer.list(evidence, "threads", state.path("threads"), MOST_ENTRIES);
        if (hasConsumer(state)) {
            Map<String, Integer> paused = new LinkedHashMap<>();
            long buffered = 0;
            long inFlight = 0;
            for (JsonNode each : state.path("partitions")) {
                buffered += each.path("buffered").asLong();
                inFlight += each.path("in_flight").asLong();
                each.path("paused").forEach(reason -> paused.merge(reason.asText(), 1, Integer::sum));
            }
            evidence.put("buffered", buffered).put("in_flight", inFlight);
            putLag(state, answer, evidence);
            evidence.set("partitions_paused", Answer.JSON.valueToTree(paused));
        } else {
            answer.unknown(evidence, "lag", noConsumer(state));
        }
    }

    private static void putLag(JsonNode state, Answer answer, ObjectNode evidence) {
        long lag = 0;
        int unknown = 0;
        for (JsonNode each : state.path("partitions")) {
            lag += each.path("lag").asLong();
            unknown += isLagUnknown(each) ? 1 : 0;
        }
        if (unknown > 0) {
            answer.unknown(evidence, "lag", "the lag of " + unknown + " partitions is not known yet");
        } else {
            evidence.put("lag", lag);
        }
    }

    private static boolean isLagUnknown(JsonNode partition) {
        return partition.path("lag").asLong(-1) < 0;
    }

    private void whyStuck(Arguments arguments, Answer answer) throws InterruptedException {
        JsonNode state = process.get("/api/state");
        head(state, answer);
        int limit = arguments.number("limit");
        ObjectNode fields = answer.fields();
        for (String each : HEALTH) {
            answer.copy(state, each, fields, each, noConsumer(state));
        }
        if (!hasConsumer(state)) {
            answer.unknown("why", noConsumer(state));
            answer.unknown("oldest_unfinished", noConsumer(state));
        } else {
            Answer.list(fields, "why", state.path("why"), limit);
            Answer.list(
                    fields,
                    "oldest_unfinished",
                    stuck(state).map(ConsoleTools::oldest).toList(),
                    limit);
            fields.set("since_last_poll_ms", state.path("since_last_poll_ms"));
        }
        if (state.has("no_answer_since")) {
            fields.set("no_answer_since", state.path("no_answer_since"));
        }
        Answer.list(
                fields,
                "stages",
                state.path("stages").valueStream().map(ConsoleTools::waits).toList(),
                MOST_ENTRIES);
        Answer.list(
                fields,
                "dispatchers",
                state.path("dispatchers")
                        .valueStream()
                        .filter(each -> each.path("queued").asLong() > 0)
                        .toList(),
                limit);
    }

    /** Returns partitions that are paused or have an unfinished record, the oldest record first. */
    private static Stream<JsonNode> stuck(JsonNode state) {
        return state.path("partitions")
                .valueStream()
                .filter(each -> each.has("oldest_unfinished_offset")
                        || !each.path("paused").isEmpty())
                .sorted(Comparator.comparingLong((JsonNode each) ->
                                each.path("oldest_unfinished_age_ms").asLong())
                        .reversed());
    }

    private static ObjectNode oldest(JsonNode partition) {
        ObjectNode oldest = Answer.JSON.createObjectNode();
        for (String each : List.of("topic", "partition", "paused", "buffered", "in_flight", "lag")) {
            oldest.set(each, partition.path(each));
        }
        Map.of(
                        "offset", "oldest_unfinished_offset",
                        "age_ms", "oldest_unfinished_age_ms",
                        "stage", "oldest_unfinished_stage",
                        "key_hash", "oldest_unfinished_key_hash")
                .forEach((as, name) -> {
                    if (partition.has(name)) {
                        oldest.set(as, partition.path(name));
                    }
                });
        if (isLagUnknown(partition)) {
            oldest.put("lag", Answer.UNKNOWN);
        }
        return oldest;
    }

    private static Map<String, String> waitsFor() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("busy_share", "nothing: it works, or waits within its own function");
        words.put("blocked_up_share", "input from the stage above it");
        words.put("blocked_down_share", "room in the stage below it");
        words.put("sibling", "a slower branch beside it");
        words.put("paused", "the rate that is set for it");
        words.put("elsewhere", "its thread, which works in a stage fused to it");
        return Collections.unmodifiableMap(words);
    }

    /** Describes a stage and the state with the largest share of its time. */
    private static ObjectNode waits(JsonNode stage) {
        ObjectNode waits = Answer.JSON.createObjectNode();
        for (String each : List.of("name", "parallelism", "in_per_second", "out_per_second", "depth")) {
            waits.set(each, stage.path(each));
        }
        STAGE_SHARES.forEach(each -> waits.set(each, stage.path(each)));
        String most = Answer.UNKNOWN;
        double largest = 0;
        for (Map.Entry<String, String> each : WAITS_FOR.entrySet()) {
            double share = each.getKey().contains("_share")
                    ? stage.path(each.getKey()).asDouble()
                    : stage.path("shares").path(each.getKey()).asDouble();
            if (share > largest) {
                largest = share;
                most = each.getValue();
            }
        }
        return waits.put("waits_for", most);
    }

    private void profile(Arguments arguments, Answer answer) throws InterruptedException {
        int seconds = arguments.number("seconds");
        JsonNode profile = process.profile(Duration.ofSeconds(seconds));
        ObjectNode fields = answer.fields();
        fields.put("process", process.toString());
        for (String each :
                List.of("seconds", "sampler", "samples", "lost", "engine_share", "client_share", "other_share")) {
            answer.copy(profile, each, fields);
        }
        if (profile.path("samples").asLong() == 0) {
            answer.because(
                    "no sample was taken: the process used hardly any processor time, so the shares say nothing");
            for (String each : List.of("engine_share", "client_share", "other_share")) {
                fields.put(each, Answer.UNKNOWN);
            }
        }
        Answer.list(
                fields,
                "stages",
                profile.path("stages").valueStream().map(ConsoleTools::brief).toList(),
                MOST_ENTRIES);
    }

    private static ObjectNode brief(JsonNode stage) {
        ObjectNode brief = Answer.JSON.createObjectNode();
        for (String each : List.of("name", "cpu_share", "allocated_bytes")) {
            brief.set(each, stage.path(each));
        }
        for (String each : List.of("top", "allocation", "blocked")) {
            Answer.list(brief, each, stage.path(each), MOST_METHODS);
        }
        return brief;
    }
}
