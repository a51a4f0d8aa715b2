package dev.weir.cli.replay;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.cli.client.ClientFault;
import dev.weir.cli.client.ClusterClients;
import dev.weir.cli.terminal.CliFailure;
import dev.weir.kafka.DeadLetter;
import dev.weir.kafka.produce.ProducePath;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * One replay of a dead-letter topic: reads a poll of letters, sends them, waits for the brokers, commits, and reads on.
 * {@link #run} belongs to one thread; others may stop it and look at its progress.
 *
 * <p>A plain loop and no pipeline: it has to stop exactly behind the last letter that was sent, and nothing in it is slow
 * but the brokers.
 */
final class Replay {

    private static final Duration POLL = Duration.ofMillis(200);

    private final ClusterClients clients;
    private final String deadLetter;
    private final @Nullable String to;
    private final List<ReplayFilter> filters;
    private final long max;
    private final boolean hasGroup;
    private final boolean dryRun;
    private final Duration patience;
    private final long startNanos = System.nanoTime();

    private volatile boolean stopped;

    private final LongAdder read = new LongAdder();
    private final LongAdder sent = new LongAdder();
    private final LongAdder filteredOut = new LongAdder();
    private final LongAdder unsendable = new LongAdder();

    Replay(
            ClusterClients clients,
            String deadLetter,
            @Nullable String to,
            List<ReplayFilter> filters,
            long max,
            boolean hasGroup,
            boolean dryRun,
            Duration patience) {
        this.patience = patience;
        this.clients = clients;
        this.deadLetter = deadLetter;
        this.to = to;
        this.filters = filters;
        this.max = max;
        this.hasGroup = hasGroup;
        this.dryRun = dryRun;
    }

    /** Ends after the poll that is being sent. */
    void stop() {
        stopped = true;
    }

    Summary progress() {
        return new Summary(
                read.sum(),
                sent.sum(),
                filteredOut.sum(),
                unsendable.sum(),
                stopped,
                dryRun,
                Duration.ofNanos(System.nanoTime() - startNanos));
    }

    Summary run(Consumer<Note> tell) {
        try (KafkaConsumer<byte[], byte[]> consumer = clients.configured(() -> new KafkaConsumer<>(
                        clients.consumer().clientConfig(), new ByteArrayDeserializer(), new ByteArrayDeserializer()));
                KafkaProducer<byte[], byte[]> producer = clients.configured(() -> new KafkaProducer<>(
                        clients.producer(ProducePath.CLIENT).clientConfig(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer()))) {
            Map<TopicPartition, Long> left = begin(consumer);
            while (!left.isEmpty() && !stopped && read.sum() < max) {
                replay(consumer.poll(POLL), left, producer, consumer, tell);
                left.entrySet().removeIf(end -> consumer.position(end.getKey()) >= end.getValue());
            }
        } catch (KafkaException failure) {
            throw CliFailure.work(
                    "the brokers refuse: " + ClientFault.withCause(failure),
                    "Committed letters are not sent again. --connect-timeout waits longer for an answer.",
                    failure);
        }
        return progress();
    }

    /** The ends of the partitions that have letters to be read. */
    private Map<TopicPartition, Long> begin(KafkaConsumer<byte[], byte[]> consumer) {
        List<TopicPartition> partitions = consumer.partitionsFor(deadLetter, patience).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        consumer.assign(partitions);
        Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(partitions, patience));
        consumer.seekToBeginning(partitions);
        if (hasGroup) {
            consumer.committed(Map.copyOf(ends).keySet(), patience).forEach((id, committed) -> {
                if (committed != null) {
                    consumer.seek(id, committed.offset());
                }
            });
        }
        ends.entrySet().removeIf(end -> consumer.position(end.getKey(), patience) >= end.getValue());
        return ends;
    }

    private void replay(
            ConsumerRecords<byte[], byte[]> records,
            Map<TopicPartition, Long> ends,
            KafkaProducer<byte[], byte[]> producer,
            KafkaConsumer<byte[], byte[]> consumer,
            Consumer<Note> tell) {
        List<ConsumerRecord<byte[], byte[]>> letters = new ArrayList<>();
        List<Future<?>> answers = new ArrayList<>();
        Map<TopicPartition, OffsetAndMetadata> done = new HashMap<>();
        long budget = max - read.sum();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            TopicPartition id = new TopicPartition(record.topic(), record.partition());
            if (record.offset() >= ends.getOrDefault(id, 0L) || budget == 0) {
                continue;
            }
            done.put(id, new OffsetAndMetadata(record.offset() + 1));
            read.increment();
            budget--;
            DeadLetter letter = sendable(record, tell);
            if (letter != null) {
                if (dryRun) {
                    sent.increment();
                    tell.accept(Note.wouldSend(letter, to));
                } else {
                    letters.add(record);
                    answers.add(producer.send(restored(letter)));
                }
            }
        }
        producer.flush();
        for (int i = 0; i < answers.size(); i++) {
            await(answers.get(i), letters.get(i));
        }
        if (hasGroup && !dryRun && !done.isEmpty()) {
            consumer.commitSync(done);
        }
    }

    private ProducerRecord<byte[], byte[]> restored(DeadLetter letter) {
        return to == null ? letter.restored() : letter.restoredTo(to);
    }

    private @Nullable DeadLetter sendable(ConsumerRecord<byte[], byte[]> record, Consumer<Note> tell) {
        DeadLetter letter;
        try {
            letter = DeadLetter.read(record);
        } catch (IllegalArgumentException foreign) {
            unsendable.increment();
            tell.accept(Note.trouble(String.valueOf(foreign.getMessage())));
            return null;
        }
        for (ReplayFilter filter : filters) {
            if (!filter.matches(letter)) {
                filteredOut.increment();
                return null;
            }
        }
        if (!letter.isWhole()) {
            unsendable.increment();
            tell.accept(Note.trouble("the letter of " + origin(letter) + " was too large and has not all of it: "
                    + letter.header(DeadLetter.CUT)));
            return null;
        }
        return letter;
    }

    private static String origin(DeadLetter letter) {
        return letter.topic() + "-" + letter.partition() + "@" + letter.offset();
    }

    private void await(Future<?> answer, ConsumerRecord<byte[], byte[]> letter) {
        try {
            var ignored = answer.get();
            sent.increment();
        } catch (ExecutionException | InterruptedException failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            DeadLetter failed = DeadLetter.read(letter);
            throw CliFailure.work(
                    "cannot send the letter of " + origin(failed) + " to " + (to == null ? "where it came from" : to)
                            + ": " + ClientFault.withCause(cause),
                    "Committed letters are not sent again; --to sends it elsewhere, --filter leaves it out.",
                    failure);
        }
    }

    /**
     * Something about one letter.
     *
     * @param letter what would be sent, or null if the text says what is wrong
     */
    record Note(@Nullable DeadLetter letter, String text) {

        static Note wouldSend(DeadLetter letter, @Nullable String to) {
            return new Note(
                    letter,
                    origin(letter) + " -> " + (to == null ? letter.topic() + "-" + letter.partition() : to) + "  "
                            + letter.header(DeadLetter.REASON) + ": " + letter.header(DeadLetter.MESSAGE));
        }

        static Note trouble(String text) {
            return new Note(null, text);
        }

        boolean isTrouble() {
            return letter == null;
        }

        void write(JsonGenerator line) throws IOException {
            if (letter == null) {
                return;
            }
            line.writeStringField("topic", letter.topic());
            line.writeNumberField("partition", letter.partition());
            line.writeNumberField("offset", letter.offset());
            for (String name : List.of(
                    DeadLetter.REASON, DeadLetter.CAUSE, DeadLetter.MESSAGE, DeadLetter.ATTEMPTS, DeadLetter.TIME)) {
                line.writeStringField(name.substring(DeadLetter.PREFIX.length()), letter.header(name));
            }
        }
    }

    /**
     * What was done, or has been so far.
     *
     * @param unsendable records that are no letters, or letters that are not whole
     */
    record Summary(
            long read,
            long sent,
            long filteredOut,
            long unsendable,
            boolean stopped,
            boolean dryRun,
            Duration elapsed) {

        boolean isComplete() {
            return unsendable == 0 && !stopped;
        }

        String text() {
            return String.format(
                    Locale.ROOT,
                    "%,d letters read, %,d %s, %,d left out by --filter, %,d cannot be sent%s in %.1f s",
                    read,
                    sent,
                    dryRun ? "would be sent" : "sent back",
                    filteredOut,
                    unsendable,
                    stopped ? ", stopped before the end" : "",
                    elapsed.toMillis() / 1000.0);
        }

        void write(JsonGenerator line) throws IOException {
            line.writeNumberField("letters_read", read);
            line.writeNumberField("letters_sent", sent);
            line.writeNumberField("filtered_out", filteredOut);
            line.writeNumberField("unsendable", unsendable);
            line.writeBooleanField("stopped", stopped);
            line.writeBooleanField("dry_run", dryRun);
            line.writeNumberField("elapsed_ms", elapsed.toMillis());
            if (!isComplete()) {
                line.writeStringField(
                        "error",
                        String.format(
                                Locale.ROOT,
                                "%,d letters cannot be sent%s",
                                unsendable,
                                stopped ? ", stopped before the end" : ""));
            }
        }
    }
}
