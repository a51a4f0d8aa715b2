package dev.weir.cli.group;

import dev.weir.cli.group.GroupSnapshot.PartitionLag;
import dev.weir.command.client.ClientFault;
import dev.weir.command.client.ClusterClients;
import dev.weir.command.terminal.CliFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Determines the age of each partition's lag, from the timestamp of the first unfinished record. Stateless. */
public final class LagTimes {

    /** Maximum number of partitions to read. Partitions with the most unfinished records are preferred. */
    public static final int MOST_PARTITIONS = 64;

    private static final Duration POLL = Duration.ofMillis(200);

    private static final String NOT_READ = "its first unfinished record could not be read in time";

    private LagTimes() {}

    /**
     * Returns the snapshot with the ages of the lags. Reads without a group and commits nothing.
     *
     * @param patience time limit for all reads together
     */
    public static GroupSnapshot of(GroupSnapshot group, ClusterClients clients, Duration patience)
            throws InterruptedException {
        List<PartitionLag> wanted = group.partitions().stream()
                .filter(each -> each.records() > 0)
                .sorted(Comparator.comparingLong(PartitionLag::records).reversed())
                .limit(MOST_PARTITIONS)
                .toList();
        Map<TopicPartition, Long> written = wanted.isEmpty() ? Map.of() : written(wanted, clients, patience);
        Set<TopicPartition> read = new HashSet<>();
        wanted.forEach(each -> read.add(each.partition()));
        long now = System.currentTimeMillis();
        List<PartitionLag> timed = new ArrayList<>();
        for (PartitionLag each : group.partitions()) {
            timed.add(each.records() <= 0 ? each : timed(each, written.get(each.partition()), read, now));
        }
        return new GroupSnapshot(group.group(), group.type(), group.state(), group.members(), timed);
    }

    private static PartitionLag timed(
            PartitionLag lag, @Nullable Long written, Set<TopicPartition> read, long nowMillis) {
        if (!read.contains(lag.partition())) {
            return lag.withTime(
                    null, "only the " + MOST_PARTITIONS + " partitions with the most records are read for their time");
        }
        if (written == null) {
            return lag.withTime(null, NOT_READ);
        }
        if (written < 0) {
            return lag.withTime(null, "its first unfinished record has no timestamp");
        }
        return lag.withTime(Duration.ofMillis(Math.max(0, nowMillis - written)), null);
    }

    private static Map<TopicPartition, Long> written(
            List<PartitionLag> wanted, ClusterClients clients, Duration patience) throws InterruptedException {
        Map<String, Object> config = new HashMap<>(clients.readerConfig());
        // The first unfinished record may have been deleted in the meantime. Read the next record.
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
        config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 1);
        config.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 100);
        Map<TopicPartition, Long> found = new HashMap<>();
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        try (KafkaConsumer<byte[], byte[]> consumer = clients.configured(
                () -> new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()))) {
            consumer.assign(wanted.stream().map(PartitionLag::partition).toList());
            wanted.forEach(each -> consumer.seek(each.partition(), Math.max(each.committed(), each.begin())));
            while (found.size() < wanted.size() && System.nanoTime() < deadlineNanos) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                    found.putIfAbsent(partition, record.timestamp());
                    consumer.pause(List.of(partition));
                }
            }
        } catch (InterruptException e) {
            throw stopped(e);
        } catch (KafkaException e) {
            throw CliFailure.work(
                    "the first unfinished records cannot be read: " + ClientFault.withCause(e),
                    "The user needs the right to read the topics.",
                    e);
        }
        return found;
    }

    private static InterruptedException stopped(InterruptException e) {
        boolean ignored = Thread.interrupted(); // clears the interrupt flag, which Kafka's client has set
        InterruptedException stop = new InterruptedException();
        stop.initCause(e);
        return stop;
    }
}
