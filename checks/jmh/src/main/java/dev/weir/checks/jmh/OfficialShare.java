package dev.weir.checks.jmh;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Runs the official client with its best settings, from the benchmark driver {@code kafka-share-record-limit}: one
 * share consumer per worker and thread, with {@code record_limit} and the published formula for records per poll.
 * {@link #close} ends the threads. The caller closes everything else.
 */
final class OfficialShare {

    private static final Duration POLL = Duration.ofMillis(100);

    // All consumers together use three quarters of a partition's record locks.
    private static final double TUNED_SHARE = 0.75;
    private static final int LOCKS = 2_000;

    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closing;

    private OfficialShare() {}

    /** Starts the consumers, in a group that begins at the first record. */
    static OfficialShare start(
            String address, String topic, int partitions, String group, int workers, Runnable handler)
            throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
            var start =
                    new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group), List.of(start)))
                    .all()
                    .get();
        }
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", address);
        config.put("group.id", group);
        config.put("share.acquire.mode", "record_limit");
        config.put("max.poll.records", (int) Math.clamp(TUNED_SHARE * LOCKS * partitions / workers, 1, LOCKS));
        OfficialShare share = new OfficialShare();
        for (int i = 0; i < workers; i++) {
            share.threads.add(
                    Thread.ofPlatform().name("share-member-", i).start(() -> share.member(config, topic, handler)));
        }
        return share;
    }

    private void member(Map<String, Object> config, String topic, Runnable handler) {
        try (ShareConsumer<byte[], byte[]> consumer =
                new KafkaShareConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (!closing) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                records.forEach(record -> handler.run());
            }
        }
    }

    /** Waits until the consumers have left the group. */
    void close() throws InterruptedException {
        closing = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
