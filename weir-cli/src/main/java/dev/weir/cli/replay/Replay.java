package dev.weir.cli.replay;

import dev.weir.cli.replay.Targets.Refusal;
import dev.weir.command.client.ClientFault;
import dev.weir.command.client.ClusterClients;
import dev.weir.command.client.RecordReader;
import dev.weir.command.terminal.CliFailure;
import dev.weir.kafka.CommitMetadata;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.OffsetOutOfRangeException;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.RecreatedTopicException;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.deadletter.OriginalRecords;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * One replay of a dead-letter topic, in a loop: polls dead-letter records, sends their originals, waits for the
 * brokers, and commits. {@link #run} belongs to one thread; other threads may stop it and read its progress.
 *
 * <p>It is a loop and not a pipeline, because it must stop exactly after the last record sent.
 */
final class Replay {

    private static final String WAY_OUT =
            "weir.out.of.range=EARLIEST, LATEST or NEAREST in --client-config sets the policy.";

    private static final String WAY_PAST_LARGE =
            "The records before it in its partition are done; with --group, a commit"
                    + " of the next offset leaves it out.";

    private static final Duration POLL = Duration.ofMillis(200);

    /** Maximum number of records per poll. A commit has 2,000 characters; an unsent record takes up to 10 of them. */
    private static final int MAX_POLL_RECORDS = 200;

    /** Maximum number of topics with their own count of refused records. */
    private static final int MAX_REFUSED_TOPICS = 100;

    private final ClusterClients clients;
    private final String deadLetterTopic;
    private final TopicRules topics;
    private final Selection selection;
    private final long max;
    private final boolean hasGroup;
    private final boolean dryRun;
    private final Duration patience;
    private final Consumer<ReplayNote> tell;
    private final long startNanos = System.nanoTime();

    private final Map<TopicPartition, PartitionProgress> progress = new HashMap<>();

    /** Id of the dead-letter topic for commits; null if nothing is committed or the brokers have no topic ids. */
    private @Nullable Uuid topicId;

    private volatile boolean stopped;

    private final LongAdder read = new LongAdder();
    private final LongAdder sent = new LongAdder();
    private final LongAdder filteredOut = new LongAdder();
    private final LongAdder excluded = new LongAdder();
    private final LongAdder unsendable = new LongAdder();
    private final LongAdder gone = new LongAdder();
    private final Map<String, Long> refused = new ConcurrentSkipListMap<>();
    private final LongAdder refusedElsewhere = new LongAdder();
    private final Map<String, Long> formats = new ConcurrentSkipListMap<>();

    /**
     * Creates a replay.
     *
     * @param tell receives reports on single records, on the thread of {@link #run}
     */
    Replay(
            ClusterClients clients,
            String deadLetterTopic,
            TopicRules topics,
            Selection selection,
            long max,
            boolean hasGroup,
            boolean dryRun,
            Duration patience,
            Consumer<ReplayNote> tell) {
        this.clients = clients;
        this.deadLetterTopic = deadLetterTopic;
        this.topics = topics;
        this.selection = selection;
        this.max = max;
        this.hasGroup = hasGroup;
        this.dryRun = dryRun;
        this.patience = patience;
        this.tell = tell;
    }

    /** Ends the run after the current poll. */
    void stop() {
        stopped = true;
    }

    ReplaySummary progress() {
        return new ReplaySummary(
                read.sum(),
                sent.sum(),
                filteredOut.sum(),
                excluded.sum(),
                unsendable.sum(),
                gone.sum(),
                new TreeMap<>(refused),
                refusedElsewhere.sum(),
                new TreeMap<>(formats),
                stopped,
                dryRun,
                Duration.ofNanos(System.nanoTime() - startNanos),
                null);
    }

    /** Limits the records of a poll: a commit needs space for all that cannot be sent. */
    static Map<String, Object> consumerConfig(ConsumerSettings<byte[], byte[]> settings) {
        Map<String, Object> config = settings.clientConfig();
        config.computeIfPresent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, (name, records) -> limited(records));
        return config;
    }

    private static Object limited(Object records) {
        try {
            return Math.min(Integer.parseInt(records.toString().strip()), MAX_POLL_RECORDS);
        } catch (NumberFormatException noNumber) {
            return records; // Kafka's client refuses the value, and names the setting
        }
    }

    /** Runs to the end. The summary counts the work even after a failure. */
    ReplaySummary run() {
        CliFailure end = null;
        ConsumerSettings<byte[], byte[]> settings = clients.consumer();
        try (RecordReader reader =
                        RecordReader.open(clients, clients.limitPolls(consumerConfig(settings)), this::wayPastLarge);
                KafkaProducer<byte[], byte[]> producer = clients.configured(() -> new KafkaProducer<>(
                        clients.writerConfig(), new ByteArraySerializer(), new ByteArraySerializer()));
                Targets targets = new Targets(clients::admin, patience);
                LazyOriginals originals = new LazyOriginals(clients, patience)) {
            Map<TopicPartition, Long> left = begin(reader, targets, settings.outOfRange());
            while (end == null && !left.isEmpty() && !stopped && read.sum() < max) {
                end = replay(poll(reader, left, settings.outOfRange()), left, producer, reader, targets, originals);
                leaveOutFinished(reader, left);
            }
        } catch (CliFailure failure) {
            end = failure;
        } catch (KafkaException failure) {
            end = CliFailure.work(
                    "the brokers refuse: " + ClientFault.withCause(failure),
                    "Committed dead-letter records are not sent again. --connect-timeout waits longer for an answer.",
                    failure);
        }
        return end == null ? progress() : progress().failed(end);
    }

    /**
     * Assigns all partitions. Each starts at its committed offset or, without one, at the beginning. {@code policy}
     * decides if the log does not contain the offset or the topic was recreated. Returns the end offsets of the
     * partitions with dead-letter records to read.
     */
    private Map<TopicPartition, Long> begin(RecordReader reader, Targets targets, OutOfRangePolicy policy) {
        var consumer = reader.consumer();
        List<TopicPartition> partitions = consumer.partitionsFor(deadLetterTopic, patience).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        consumer.assign(partitions);
        Map<TopicPartition, OffsetAndMetadata> committed =
                hasGroup ? consumer.committed(Set.copyOf(partitions), patience) : Map.of();
        // Read the topic id first: the next run then notices if the topic is recreated in between.
        topicId = hasGroup ? targets.idOf(deadLetterTopic, topicIds(committed.values())) : null;
        Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(partitions, patience);
        Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(partitions, patience));
        for (TopicPartition id : partitions) {
            long beginning = Objects.requireNonNull(beginnings.get(id));
            long end = Objects.requireNonNull(ends.get(id));
            OffsetAndMetadata from = committed.get(id);
            PartitionProgress examined = hasGroup ? PartitionProgress.of(from) : PartitionProgress.withoutGroup();
            progress.put(id, examined);
            if (from == null) {
                reader.seek(id, beginning);
            } else if (isOfFormerTopic(from)) {
                continueInNewTopic(reader, id, from, beginning, end, policy);
            } else if (examined.horizon() > end) {
                continueInLog(reader, id, examined.horizon(), beginning, end, policy);
            } else if (from.offset() < beginning) {
                continueInLog(reader, id, from.offset(), beginning, end, policy);
            } else {
                reader.seek(id, from.offset());
            }
        }
        leaveOutFinished(reader, ends);
        return ends;
    }

    private String wayPastLarge(TopicPartition id) {
        if (dryRun) {
            return "A run without --dry-run sends the records before it, and then says how to leave it out.";
        }
        Long left = Objects.requireNonNull(progress.get(id)).firstLeft();
        return left == null
                ? WAY_PAST_LARGE
                : "Dead-letter record " + id + "@" + left + " before it is not sent yet, and a commit of a later offset"
                        + " loses it. Give the operator the rights on its topic, or leave it out by --exclude-topic,"
                        + " and run it again with --group.";
    }

    /** Stops reading partitions at their ends, although new records may follow. */
    private void leaveOutFinished(RecordReader reader, Map<TopicPartition, Long> ends) {
        ends.entrySet().removeIf(end -> {
            boolean isFinished = reader.consumer().position(end.getKey(), patience) >= end.getValue();
            if (isFinished) {
                reader.leaveOut(end.getKey());
            }
            return isFinished;
        });
    }

    private ConsumerRecords<byte[], byte[]> poll(
            RecordReader reader, Map<TopicPartition, Long> ends, OutOfRangePolicy policy) {
        try {
            return reader.poll(POLL);
        } catch (org.apache.kafka.clients.consumer.OffsetOutOfRangeException lost) {
            lost.offsetOutOfRangePartitions().forEach((id, wanted) -> {
                Set<TopicPartition> one = Set.of(id);
                long beginning = Objects.requireNonNull(
                        reader.consumer().beginningOffsets(one, patience).get(id));
                long end = Objects.requireNonNull(
                        reader.consumer().endOffsets(one, patience).get(id));
                continueInLog(reader, id, wanted, beginning, end, policy);
                // The log may have become shorter. Do not wait for its old end.
                ends.computeIfPresent(id, (partition, before) -> Math.min(before, end));
            });
            return ConsumerRecords.empty();
        }
    }

    /**
     * Applies the out-of-range policy to a partition whose log does not contain the wanted offset. Commits the chosen
     * position: a growing log could otherwise reach the old commit again.
     */
    private void continueInLog(
            RecordReader reader, TopicPartition id, long wanted, long beginning, long end, OutOfRangePolicy policy) {
        long next = switch (policy) {
            case FAIL -> {
                var cause = new org.apache.kafka.clients.consumer.OffsetOutOfRangeException(Map.of(id, wanted));
                var lost = new OffsetOutOfRangeException(id, wanted, beginning, end, cause);
                throw CliFailure.work(String.valueOf(lost.getMessage()), WAY_OUT, lost);
            }
            case EARLIEST -> beginning;
            case LATEST -> end;
            // The log may contain the offset: a stale broker has then refused the fetch.
            case NEAREST -> RecordReader.nearest(wanted, beginning, end);
        };
        tell.accept(ReplayNote.warning(id + "@" + wanted + " is out of range, the partition has " + beginning + " to "
                + end + "; continuing at " + next + " as the policy " + policy + " says"));
        Objects.requireNonNull(progress.get(id)).continueAt(next, end);
        seekAndCommit(reader, id, next);
    }

    private static Set<Uuid> topicIds(Collection<OffsetAndMetadata> commits) {
        return commits.stream()
                .filter(Objects::nonNull)
                .map(each -> CommitMetadata.topicId(each.offset(), each.metadata()))
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }

    private boolean isOfFormerTopic(OffsetAndMetadata committed) {
        Uuid id = CommitMetadata.topicId(committed.offset(), committed.metadata());
        return id != null && topicId != null && !id.equals(topicId);
    }

    /** Applies the out-of-range policy to a commit for a deleted topic of the same name, as pipelines do. */
    private void continueInNewTopic(
            RecordReader reader,
            TopicPartition id,
            OffsetAndMetadata committed,
            long beginning,
            long end,
            OutOfRangePolicy policy) {
        String proof =
                "topic id " + CommitMetadata.topicId(committed.offset(), committed.metadata()) + ", now " + topicId;
        if (policy == OutOfRangePolicy.FAIL) {
            var lost = new RecreatedTopicException(
                    id, committed.offset(), proof, "to continue, commit another offset for the group, or set a policy");
            throw CliFailure.work(String.valueOf(lost.getMessage()), WAY_OUT, lost);
        }
        long next = policy == OutOfRangePolicy.LATEST ? end : beginning;
        tell.accept(ReplayNote.warning(id + "@" + committed.offset() + ": the topic was recreated (" + proof
                + "); continuing at " + next + " as the policy " + policy + " says"));
        Objects.requireNonNull(progress.get(id)).restartAt(next);
        seekAndCommit(reader, id, next);
    }

    private void seekAndCommit(RecordReader reader, TopicPartition id, long next) {
        reader.seek(id, next);
        if (hasGroup && !dryRun) {
            commit(reader, Set.of(id));
        }
    }

    /** Processes one poll. Returns why the run must end; null to continue. */
    private @Nullable CliFailure replay(
            ConsumerRecords<byte[], byte[]> records,
            Map<TopicPartition, Long> ends,
            KafkaProducer<byte[], byte[]> producer,
            RecordReader reader,
            Targets targets,
            LazyOriginals originals) {
        Sending sending = new Sending(producer, targets, outcomes());
        Set<TopicPartition> touched = new HashSet<>();
        Supplier<CliFailure> end = null;
        long budget = max - read.sum();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            TopicPartition id = new TopicPartition(record.topic(), record.partition());
            PartitionProgress from = Objects.requireNonNull(progress.get(id));
            if (record.offset() >= ends.getOrDefault(id, 0L) || budget == 0 || stopped) {
                continue;
            }
            // An earlier run is done with this record, but not with one before it.
            if (from.isDone(record.offset())) {
                continue;
            }
            Restored restored;
            try {
                restored = sendable(record, targets, originals);
            } catch (CliFailure failure) {
                // Throw later: first commit the records before this one, so that the next run does not send them again.
                end = () -> failure;
                break;
            } catch (OutOfMemoryError full) {
                end = () -> reader.tooLarge(id, record.offset(), full);
                break;
            }
            read.increment();
            budget--;
            touched.add(id);
            if (restored == null) {
                from.done(record.offset());
            } else if (restored.record == null) {
                from.left(record.offset());
            } else if (dryRun) {
                sent.increment();
                tell.accept(ReplayNote.wouldSend(restored.deadLetter, restored.record));
            } else {
                sending.add(restored.deadLetter, restored.record, from);
            }
        }
        CliFailure unsent = sending.finish();
        if (hasGroup && !dryRun) {
            commit(reader, touched);
        }
        if (unsent != null) {
            return unsent;
        }
        if (end != null) {
            return end.get();
        }
        return hasGroup
                        && touched.stream()
                                .anyMatch(id ->
                                        Objects.requireNonNull(progress.get(id)).isFull())
                ? CliFailure.work(
                        "too many dead-letter records cannot be sent yet: a commit cannot note more of them",
                        "Give the operator the right to write their topics, or leave them out by --exclude-topic.")
                : null;
    }

    private void commit(RecordReader reader, Set<TopicPartition> touched) {
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        touched.forEach(
                id -> positions.put(id, Objects.requireNonNull(progress.get(id)).position(topicId)));
        if (!positions.isEmpty()) {
            reader.consumer().commitSync(positions);
        }
    }

    private Sending.Outcomes outcomes() {
        return new Sending.Outcomes() {
            @Override
            public void sent() {
                sent.increment();
            }

            @Override
            public void refused(DeadLetterRecord deadLetter, String why) {
                unsendable(name(deadLetter) + " cannot be sent: " + why);
            }
        };
    }

    /**
     * A dead-letter record and the record restored from it.
     *
     * @param record the record to send; null if only a later run may be able to send it
     */
    private record Restored(
            DeadLetterRecord deadLetter, @Nullable ProducerRecord<byte[], byte[]> record) {}

    /** Reads and restores a dead-letter record; null if it is skipped or cannot be sent. */
    private @Nullable Restored sendable(
            ConsumerRecord<byte[], byte[]> record, Targets targets, LazyOriginals originals) {
        DeadLetterRecord deadLetter;
        try {
            deadLetter = selection.read(record);
        } catch (IllegalArgumentException foreign) {
            if (hasGroup && !dryRun && selection.isOfAnotherFormat(record)) {
                throw CliFailure.work(
                        "cannot commit past a record that is not a dead-letter record of the named format: "
                                + foreign.getMessage(),
                        "Fix --format or --origin-headers; a run without --group counts such records and continues.",
                        foreign);
            }
            unsendable(String.valueOf(foreign.getMessage()));
            return null;
        }
        formats.merge(deadLetter.format().name(), 1L, Long::sum);
        if (!selection.mayTake(deadLetter)) {
            filteredOut.increment();
            return null;
        }
        if (topics.isExcluded(deadLetter.topic())) {
            excluded.increment();
            return null;
        }
        String missing = deadLetter.missing();
        if (missing != null) {
            unsendable(name(deadLetter) + " was too large and has not all of it: " + missing);
            return null;
        }
        if (deadLetter.lacksRecord()) {
            // A replay with --allow-topic=* and --to must not copy records of a topic for brokers only.
            if (TopicRules.isInternal(deadLetter.topic())) {
                unsendable(name(deadLetter) + " lacks its record, and the original cannot be read: topic "
                        + deadLetter.topic() + " is internal to Kafka");
                return null;
            }
            // Check the original's topic even with --to: dead-letter records must not choose which topics are read.
            return isAllowed(deadLetter, deadLetter.topic()) ? completed(deadLetter, targets, originals) : null;
        }
        return restored(deadLetter, targets);
    }

    private @Nullable Restored restored(DeadLetterRecord deadLetter, Targets targets) {
        ProducerRecord<byte[], byte[]> record;
        try {
            record = topics.to() == null ? deadLetter.restored() : deadLetter.restoredTo(topics.to());
        } catch (IllegalArgumentException wrong) {
            unsendable(name(deadLetter) + " cannot be sent: " + wrong.getMessage());
            return null;
        }
        if (topics.isExcluded(record.topic())) {
            excluded.increment();
            return null;
        }
        if (topics.to() == null && !isAllowed(deadLetter, record.topic())) {
            return null;
        }
        Refusal refusal = record.topic().equals(deadLetterTopic)
                ? new Refusal("its target is the dead-letter topic itself", true)
                : targets.refusal(record.topic(), record.partition());
        if (refusal == null) {
            return new Restored(deadLetter, record);
        }
        unsendable(name(deadLetter) + " cannot be sent: " + refusal.why());
        return refusal.isFinal() ? null : new Restored(deadLetter, null);
    }

    /** Returns whether the options allow the topic. Otherwise counts the record as refused. */
    private boolean isAllowed(DeadLetterRecord deadLetter, String topic) {
        if (topics.isAllowed(topic)) {
            return true;
        }
        if (hasGroup && !dryRun && topics.allowsNothing()) {
            throw CliFailure.work(
                    "no option allows topic " + topic + ", which " + name(deadLetter) + " names",
                    "--allow-topic " + topic + " allows it, --to TOPIC sends elsewhere, --exclude-topic " + topic
                            + " leaves it out. Nothing is committed past it.");
        }
        if (refused.containsKey(topic) || refused.size() < MAX_REFUSED_TOPICS) {
            if (refused.merge(topic, 1L, Long::sum) == 1) {
                tell.accept(ReplayNote.trouble(name(deadLetter) + " is refused: no option allows topic " + topic
                        + "; --allow-topic " + topic + " does"));
            }
        } else {
            refusedElsewhere.increment();
        }
        return false;
    }

    private @Nullable Restored completed(DeadLetterRecord deadLetter, Targets targets, LazyOriginals originals) {
        OriginalRecords.Outcome outcome;
        try {
            outcome = originals.find(deadLetter);
        } catch (TopicAuthorizationException denied) {
            unsendable(name(deadLetter) + " lacks its record, and the original cannot be read: "
                    + ClientFault.withCause(denied));
            return new Restored(deadLetter, null);
        }
        return switch (outcome) {
            case OriginalRecords.Gone lost -> {
                gone.increment();
                boolean hasCopy =
                        deadLetter.record().key() != null || deadLetter.record().value() != null;
                String has = hasCopy ? "key and value but not headers and timestamp" : "no record";
                unsendable(name(deadLetter) + " has " + has + ", and its original is gone: " + lost.why());
                yield null;
            }
            case OriginalRecords.Found found -> {
                if (selection.mayTake(found.deadLetter())) {
                    yield restored(found.deadLetter(), targets);
                }
                filteredOut.increment();
                yield null;
            }
        };
    }

    private void unsendable(String why) {
        unsendable.increment();
        tell.accept(ReplayNote.trouble(why));
    }

    /** Positions of a dead-letter record and its original, for messages. */
    static String name(DeadLetterRecord deadLetter) {
        ConsumerRecord<byte[], byte[]> record = deadLetter.record();
        return "dead-letter record " + record.topic() + "-" + record.partition() + "@" + record.offset() + " of "
                + deadLetter.origin();
    }
}
