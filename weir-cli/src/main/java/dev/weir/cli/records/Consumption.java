package dev.weir.cli.records;

import dev.weir.cli.records.StartPoint.AtOffset;
import dev.weir.cli.records.StartPoint.AtTime;
import dev.weir.cli.records.StartPoint.Beginning;
import dev.weir.cli.records.StartPoint.End;
import dev.weir.command.client.ClientFault;
import dev.weir.command.client.RecordReader;
import dev.weir.command.terminal.CliFailure;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/** One run of {@code weir consume}. Confined to the command's thread, except for {@link #stop}. */
final class Consumption {

    private static final Duration POLL = Duration.ofSeconds(1);

    private final RecordReader reader;
    private final String topic;
    private final Duration patience;
    private final PrintStream out;
    private final Consumer<String> notes;

    private volatile boolean stopped;

    /**
     * Creates a run on {@code reader}, which the caller owns.
     *
     * @param patience time limit for each request to the brokers
     * @param notes receives messages for the user
     */
    Consumption(RecordReader reader, String topic, Duration patience, PrintStream out, Consumer<String> notes) {
        this.reader = reader;
        this.topic = topic;
        this.patience = patience;
        this.out = out;
        this.notes = notes;
    }

    /** Ends the run. Thread-safe. */
    void stop() {
        stopped = true;
        reader.wakeup();
    }

    /** Prints up to {@code max} records and returns their number. {@link #stop} ends it early. */
    long run(Set<Integer> wanted, StartPoint from, long max, RecordFormat format) {
        long printed = 0;
        try {
            begin(partitions(wanted), from);
            while (!stopped && printed < max) {
                for (ConsumerRecord<byte[], byte[]> record : poll()) {
                    if (printed == max) {
                        break;
                    }
                    print(record, format);
                    printed++;
                }
                // The reader of this output has ended, as head does.
                if (out.checkError()) {
                    break;
                }
            }
        } catch (WakeupException stop) {
            return printed;
        } catch (KafkaException failure) {
            throw CliFailure.work(
                    "cannot read topic " + topic + ": " + ClientFault.withCause(failure),
                    "--connect-timeout waits longer for an answer.",
                    failure);
        }
        return printed;
    }

    private void print(ConsumerRecord<byte[], byte[]> record, RecordFormat format) {
        try {
            out.writeBytes(format.line(record));
        } catch (OutOfMemoryError full) {
            throw reader.tooLarge(new TopicPartition(record.topic(), record.partition()), record.offset(), full);
        }
    }

    private Iterable<ConsumerRecord<byte[], byte[]>> poll() {
        try {
            return reader.poll(POLL);
        } catch (OffsetOutOfRangeException gone) {
            Map<TopicPartition, Long> beginnings = reader.consumer().beginningOffsets(gone.partitions(), patience);
            Map<TopicPartition, Long> ends = reader.consumer().endOffsets(gone.partitions(), patience);
            gone.offsetOutOfRangePartitions().forEach((partition, offset) -> {
                long next = RecordReader.nearest(
                        offset, beginnings.getOrDefault(partition, 0L), ends.getOrDefault(partition, 0L));
                notes.accept("weir: " + partition + " no longer has offset " + offset + "; reading on at " + next);
                reader.seek(partition, next);
            });
            return List.of();
        }
    }

    private Set<TopicPartition> partitions(Set<Integer> wanted) {
        Set<Integer> present = reader.consumer().partitionsFor(topic, patience).stream()
                .map(PartitionInfo::partition)
                .collect(Collectors.toCollection(TreeSet::new));
        for (int each : wanted) {
            if (!present.contains(each)) {
                throw CliFailure.badValue(
                        "--partition",
                        each,
                        "a partition of topic " + topic + ", which has 0 to " + (present.size() - 1));
            }
        }
        return (wanted.isEmpty() ? present : wanted)
                .stream().map(each -> new TopicPartition(topic, each)).collect(Collectors.toSet());
    }

    private void begin(Set<TopicPartition> partitions, StartPoint from) {
        var consumer = reader.consumer();
        consumer.assign(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, patience);
        switch (from) {
            case Beginning() -> consumer.beginningOffsets(partitions, patience).forEach(reader::seek);
            case End() -> ends.forEach(reader::seek);
            case AtOffset(long offset) -> beginAt(offset, consumer.beginningOffsets(partitions, patience), ends);
            case AtTime at -> {
                Map<TopicPartition, Long> times = new HashMap<>();
                partitions.forEach(each -> times.put(each, at.time().toEpochMilli()));
                Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(times, patience);
                ends.forEach((partition, end) -> {
                    OffsetAndTimestamp first = found.get(partition);
                    reader.seek(partition, first == null ? end : first.offset());
                });
            }
        }
        notes.accept("weir: reading " + partitions.size() + (partitions.size() == 1 ? " partition" : " partitions")
                + " of topic " + topic + "; Ctrl-C ends");
    }

    private void beginAt(long offset, Map<TopicPartition, Long> beginnings, Map<TopicPartition, Long> ends) {
        ends.forEach((partition, end) -> {
            long begin = beginnings.getOrDefault(partition, 0L);
            long start = RecordReader.nearest(offset, begin, end);
            if (start != offset) {
                notes.accept("weir: " + partition + " has offsets " + begin + " to " + Math.max(begin, end)
                        + ": begins at " + start + " instead of " + offset);
            }
            reader.seek(partition, start);
        });
    }
}
