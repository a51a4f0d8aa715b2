package dev.weir.cli.replay;

import dev.weir.cli.client.ClientFault;
import dev.weir.cli.client.ClusterClients;
import dev.weir.cli.terminal.CliFailure;
import dev.weir.kafka.letter.Letter;
import dev.weir.kafka.letter.Originals;
import dev.weir.kafka.produce.ProducePath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
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
 * <p>A plain loop and no pipeline: it has to stop exactly behind the last letter that was sent, and nothing in it is
 * slow but the brokers.
 */
final class Replay {

    private static final Duration POLL = Duration.ofMillis(200);

    /** A letter on its way, with its place in the dead-letter topic. */
    private record Underway(TopicPartition from, long offset, Letter letter, Future<?> answer) {}

    private final ClusterClients clients;
    private final String deadLetter;
    private final @Nullable String to;
    private final Selection selection;
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
    private final LongAdder gone = new LongAdder();
    private final Map<String, Long> formats = new ConcurrentSkipListMap<>();

    Replay(
            ClusterClients clients,
            String deadLetter,
            @Nullable String to,
            Selection selection,
            long max,
            boolean hasGroup,
            boolean dryRun,
            Duration patience) {
        this.patience = patience;
        this.clients = clients;
        this.deadLetter = deadLetter;
        this.to = to;
        this.selection = selection;
        this.max = max;
        this.hasGroup = hasGroup;
        this.dryRun = dryRun;
    }

    /** Ends after the poll that is being sent. */
    void stop() {
        stopped = true;
    }

    ReplaySummary progress() {
        return new ReplaySummary(
                read.sum(),
                sent.sum(),
                filteredOut.sum(),
                unsendable.sum(),
                gone.sum(),
                new TreeMap<>(formats),
                stopped,
                dryRun,
                Duration.ofNanos(System.nanoTime() - startNanos));
    }

    ReplaySummary run(Consumer<ReplayNote> tell) {
        try (KafkaConsumer<byte[], byte[]> consumer = clients.configured(() -> new KafkaConsumer<>(
                        clients.consumer().clientConfig(), new ByteArrayDeserializer(), new ByteArrayDeserializer()));
                KafkaProducer<byte[], byte[]> producer = clients.configured(() -> new KafkaProducer<>(
                        clients.producer(ProducePath.CLIENT).clientConfig(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer()));
                LazyOriginals originals = new LazyOriginals(clients, patience)) {
            Map<TopicPartition, Long> left = begin(consumer);
            while (!left.isEmpty() && !stopped && read.sum() < max) {
                replay(consumer.poll(POLL), left, producer, consumer, originals, tell);
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
            LazyOriginals originals,
            Consumer<ReplayNote> tell) {
        List<Underway> letters = new ArrayList<>();
        Map<TopicPartition, OffsetAndMetadata> done = new HashMap<>();
        CliFailure end = null;
        long budget = max - read.sum();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            TopicPartition id = new TopicPartition(record.topic(), record.partition());
            if (record.offset() >= ends.getOrDefault(id, 0L) || budget == 0 || stopped) {
                continue;
            }
            Letter letter;
            try {
                letter = sendable(record, originals, tell);
            } catch (CliFailure failure) {
                // What was sent before it is committed first, or the next run would send that again.
                end = failure;
                break;
            }
            done.put(id, new OffsetAndMetadata(record.offset() + 1));
            read.increment();
            budget--;
            if (letter != null) {
                ProducerRecord<byte[], byte[]> restored = to == null ? letter.restored() : letter.restoredTo(to);
                if (dryRun) {
                    sent.increment();
                    tell.accept(ReplayNote.wouldSend(letter, restored));
                } else {
                    letters.add(new Underway(id, record.offset(), letter, send(producer, restored)));
                }
            }
        }
        producer.flush();
        for (Underway each : letters) {
            CliFailure failure = failure(each);
            if (failure != null) {
                // The next run goes on at the first of its partition that was not sent.
                done.merge(
                        each.from,
                        new OffsetAndMetadata(each.offset),
                        (past, before) -> past.offset() < before.offset() ? past : before);
                end = end == null ? failure : end;
            }
        }
        if (hasGroup && !dryRun && !done.isEmpty()) {
            consumer.commitSync(done);
        }
        if (end != null) {
            throw end;
        }
    }

    /** The letter, with all of its record; null if it is left out or cannot be sent. */
    private @Nullable Letter sendable(
            ConsumerRecord<byte[], byte[]> record, LazyOriginals originals, Consumer<ReplayNote> tell) {
        Letter letter;
        try {
            letter = selection.read(record);
        } catch (IllegalArgumentException foreign) {
            if (hasGroup && !dryRun && selection.format() != null) {
                throw CliFailure.work(
                        "cannot commit past what is no letter of the format that was named: " + foreign.getMessage(),
                        "Mend --format or --origin-headers; a run without --group counts such records and goes on.",
                        foreign);
            }
            return unsendable(String.valueOf(foreign.getMessage()), tell);
        }
        formats.merge(letter.format().name(), 1L, Long::sum);
        if (!selection.mayTake(letter)) {
            filteredOut.increment();
            return null;
        }
        String missing = letter.missing();
        if (missing != null) {
            return unsendable(
                    "the letter of " + letter.origin() + " was too large and has not all of it: " + missing, tell);
        }
        return letter.lacksRecord() ? completed(letter, originals, tell) : letter;
    }

    private @Nullable Letter completed(Letter letter, LazyOriginals originals, Consumer<ReplayNote> tell) {
        return switch (originals.find(letter)) {
            case Originals.Gone lost -> {
                gone.increment();
                boolean hasCopy =
                        letter.record().key() != null || letter.record().value() != null;
                String has = hasCopy ? "key and value but not headers and timestamp" : "no record";
                yield unsendable("the letter has " + has + ", and its original is gone: " + lost.why(), tell);
            }
            case Originals.Found found -> {
                if (selection.mayTake(found.letter())) {
                    yield found.letter();
                }
                filteredOut.increment();
                yield null;
            }
        };
    }

    private @Nullable Letter unsendable(String why, Consumer<ReplayNote> tell) {
        unsendable.increment();
        tell.accept(ReplayNote.trouble(why));
        return null;
    }

    /** What the client throws at once fails as its answer would: letters before it are sent and to be committed. */
    private static Future<?> send(KafkaProducer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record) {
        try {
            return producer.send(record);
        } catch (KafkaException | IllegalArgumentException unsent) {
            return CompletableFuture.failedFuture(unsent);
        }
    }

    /** Of one that is answered; null if it was sent. */
    private @Nullable CliFailure failure(Underway letter) {
        if (letter.answer.state() == Future.State.SUCCESS) {
            sent.increment();
            return null;
        }
        return unsent(letter.letter, letter.answer.exceptionNow());
    }

    private CliFailure unsent(Letter letter, Throwable cause) {
        return CliFailure.work(
                "cannot send the letter of " + letter.origin() + " to " + (to == null ? "where it came from" : to)
                        + ": " + ClientFault.withCause(cause),
                "Committed letters are not sent again; --to sends it elsewhere, --filter leaves it out.",
                cause);
    }
}
