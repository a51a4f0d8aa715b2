package dev.weir.cli.replay;

import dev.weir.command.client.ClusterClients;
import dev.weir.command.client.ClusterOptions;
import dev.weir.command.client.OptionChecks;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.Instants;
import dev.weir.command.terminal.Progress;
import dev.weir.kafka.deadletter.DeadLetterFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/**
 * {@code weir replay}: sends dead-letter records back to their topics. Its thread checks the cluster, shows the
 * progress and prints the summary; {@link Replay} runs on another thread.
 */
@Command(
        name = "replay",
        sortOptions = false,
        description = {
            "Send dead-letter records back to the topics they came from, as the records they were.",
            "Key, value, headers and timestamp are restored; dead-letter records stay where they are. Reads up to the end that the topic"
                    + " has at the start. At least once: a run that is killed and repeated sends some dead-letter records twice.",
            "A dead-letter record names the topic that it goes to; --allow-topic (or --filter topic=NAME) selects the allowed topics.",
            "Reads the dead-letter records of Weir, Spring Kafka, Spring Cloud Stream, Kafka Connect, and those that brokers write for share groups, each"
                    + " recognised by its headers; --origin-headers adds those of another writer.",
        })
public final class ReplayCommand implements Callable<Integer> {

    /** Maximum number of unsendable records in the output; all are counted. */
    private static final int MAX_TROUBLES = 20;

    private static final int DEFAULT_LIST = 100;

    @ParentCommand
    private CommandContext weir;

    @Mixin
    private ClusterOptions cluster;

    @Option(names = "--dead-letter", required = true, paramLabel = "TOPIC", description = "The dead-letter topic.")
    private String deadLetter;

    @Option(
            names = "--to",
            paramLabel = "TOPIC",
            description = "Send to this topic; keys choose the partition. Default: the topic and partition of origin.")
    private @Nullable String to;

    @Option(
            names = "--allow-topic",
            paramLabel = "TOPIC[,...]",
            split = ",",
            description =
                    "Topics that dead-letter records may be sent to, and originals be read from; orders-* allows all that begin so, *"
                            + " all. May be repeated. Without --to, dead-letter records for other topics are refused. Topics internal to"
                            + " Kafka never are written to.")
    private List<String> allowedTopics = new ArrayList<>();

    @Option(
            names = "--exclude-topic",
            paramLabel = "TOPIC[,...]",
            split = ",",
            description =
                    "Leave out dead-letter records from or for these topics, whatever allows them. May be repeated.")
    private List<String> excludedTopics = new ArrayList<>();

    @Option(
            names = "--filter",
            paramLabel = "NAME=TEXT",
            converter = ReplayFilter.Converter.class,
            description =
                    "Only dead-letter records for which this holds: topic, partition, offset, reason, attempts, group, key or"
                            + " header.NAME is TEXT; cause, message or time contains TEXT. May be repeated; all must hold.")
    private List<ReplayFilter> filters = new ArrayList<>();

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = Instants.class,
            description =
                    "Only dead-letter records of this time or later: 2026-11-23T08:00:00Z, or 2026-11-23 for its begin in UTC. The"
                            + " time is when the record was given up, else when the dead-letter record was written.")
    private @Nullable Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = Instants.class,
            description = "Only dead-letter records before this time.")
    private @Nullable Instant until;

    @Option(
            names = "--format",
            paramLabel = "NAME",
            description =
                    "Read all dead-letter records as those of weir, spring, spring-cloud-stream, connect or share-group (default:"
                            + " each by its headers).")
    private @Nullable String format;

    @Option(
            names = "--origin-headers",
            paramLabel = "FIELD=HEADER[,...]",
            converter = OriginHeaders.class,
            description =
                    "Headers of another writer of dead-letter records: topic=H1,partition=H2,offset=H3; also timestamp, reason,"
                            + " cause, message, attempts, group, time. Only topic is required. Numbers are text, or 4 or 8"
                            + " bytes with the highest first; time"
                            + " is ISO 8601 or, as timestamp is, milliseconds since 1970.")
    private @Nullable DeadLetterFormat originHeaders;

    @Option(
            names = "--max",
            paramLabel = "N",
            description = "Stop after N dead-letter records were read, at least 1, whatever became of them.")
    private @Nullable Long max;

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            description =
                    "Continue where this group has committed, and commit the dead-letter records that were sent, left out, or can never be"
                            + " sent, so that the next run with it continues from there. Without it every run reads all dead-letter records. A run ends"
                            + " before a record that --format or --origin-headers do not fit.")
    private @Nullable String group;

    @Option(
            names = "--dry-run",
            description = "Send and commit nothing; print the dead-letter records that would be sent.")
    private boolean dryRun;

    @Option(
            names = "--list",
            paramLabel = "N",
            description =
                    "How many dead-letter records a dry run prints (default: " + DEFAULT_LIST + "); all are counted.")
    private @Nullable Long list;

    @Option(
            names = "--json",
            description =
                    "Print a JSON object for each dead-letter record of a dry run, and one as summary, on standard output.")
    private boolean json;

    // Changed by the replaying thread only, and read after its end.
    private long troubles;
    private long listed;

    @Override
    public Integer call() throws InterruptedException {
        check();
        Selection selection = new Selection(format(), filters, since, until);
        ClusterClients clients = cluster.clients(group == null ? "weir-replay" : group);
        clients.warnings().forEach(warning -> weir.terminal().note("weir: " + warning));
        clients.check(to == null ? List.of(deadLetter) : List.of(deadLetter, to));
        Replay replay = new Replay(
                clients,
                deadLetter,
                TopicRules.of(to, allowedTopics, excludedTopics, filters),
                selection,
                max == null ? Long.MAX_VALUE : max,
                group != null,
                dryRun,
                cluster.connectTimeout(),
                this::tell);
        weir.shutdown().onStop(replay::stop);
        CompletableFuture<ReplaySummary> work = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("weir-replay").start(() -> {
            try {
                work.complete(replay.run());
            } catch (Throwable failure) {
                work.completeExceptionally(failure);
            }
        });
        ReplaySummary summary = await(replay, work);
        tellTheRest(listed - listMost(), "would be sent; --list prints more");
        tellTheRest(troubles - MAX_TROUBLES, "cannot be sent");
        if (json) {
            weir.json().write(summary::write);
            weir.errorIsReported();
        } else {
            weir.terminal().notes(summary.text());
        }
        if (summary.failure() != null) {
            throw summary.failure();
        }
        return summary.isComplete() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private void tellTheRest(long more, String what) {
        if (more > 0) {
            weir.terminal().note(String.format(Locale.ROOT, "... and %,d more that %s", more, what));
        }
    }

    private ReplaySummary await(Replay replay, CompletableFuture<ReplaySummary> work) throws InterruptedException {
        try (Progress progress = weir.progress()) {
            return progress.await(work, () -> replay.progress().line());
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw cause instanceof CliFailure known ? known : CliFailure.unexpected(cause);
        }
    }

    /** Reports warnings, unsendable records and, in a dry run, the records to send. */
    private void tell(ReplayNote note) {
        if (note.isTrouble()) {
            // In a topic without dead-letter records, every record is unsendable.
            if (++troubles <= MAX_TROUBLES) {
                weir.terminal().note(note.text());
            }
        } else if (note.deadLetter() == null) {
            weir.terminal().note("weir: " + note.text());
        } else if (++listed > listMost()) {
            return;
        } else if (json) {
            weir.json().write(note::write);
        } else {
            weir.terminal().note(note.text());
        }
    }

    private long listMost() {
        return list == null ? DEFAULT_LIST : list;
    }

    private @Nullable DeadLetterFormat format() {
        String wanted = format;
        if (wanted == null) {
            return originHeaders;
        }
        if (originHeaders != null) {
            throw CliFailure.usage("--format and --origin-headers do not go together", "Leave one of them out.");
        }
        for (DeadLetterFormat known : DeadLetterFormat.known()) {
            if (known.name().equals(wanted)) {
                return known;
            }
        }
        throw CliFailure.badValue("--format", wanted, "weir, spring, spring-cloud-stream, connect or share-group");
    }

    private void check() {
        OptionChecks.requireNotBlank("--dead-letter", deadLetter);
        if (group != null) {
            OptionChecks.requireNotBlank("--group", group);
        }
        if (to != null) {
            OptionChecks.requireNotBlank("--to", to);
            if (to.equals(deadLetter)) {
                throw CliFailure.usage("--to and --dead-letter name the same topic: " + to, "");
            }
        }
        if (to != null && TopicRules.isInternal(to)) {
            throw CliFailure.usage("--to=" + to + " is internal to Kafka: only brokers write to it", "");
        }
        checkTopics("--allow-topic", allowedTopics);
        checkTopics("--exclude-topic", excludedTopics);
        if (since != null && until != null && !since.isBefore(until)) {
            throw CliFailure.usage("--since=" + since + " is not before --until=" + until, "");
        }
        if (list != null && list < 0) {
            throw CliFailure.badValue("--list", list, "at least 0");
        }
        if (list != null && !dryRun) {
            throw CliFailure.usage(
                    "--list is for --dry-run, and nothing else prints dead-letter records", "Add --dry-run.");
        }
        if (max != null && max < 1) {
            throw CliFailure.badValue("--max", max, "at least 1");
        }
    }

    private static void checkTopics(String option, List<String> topics) {
        for (String topic : topics) {
            OptionChecks.requireNotBlank(option, topic);
            int star = topic.indexOf('*');
            if (star >= 0 && star < topic.length() - 1) {
                throw CliFailure.badValue(option, topic, "names of topics, with * at the end at most");
            }
            if (option.equals("--allow-topic") && TopicRules.isInternal(topic)) {
                throw CliFailure.usage(option + "=" + topic + " is internal to Kafka: only brokers write to it", "");
            }
        }
    }
}
