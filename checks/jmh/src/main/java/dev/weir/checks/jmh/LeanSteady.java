package dev.weir.checks.jmh;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.StartAt;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Measures the cost of a consumer at a steady {@value #PER_SECOND} records per second of {@value #VALUE_BYTES} bytes,
 * where it mostly waits. Prints CPU time and allocation of the whole process. Consumers run at the same time, each in
 * its own process.
 *
 * <p>Run: {@code checks/jmh/steady.sh ADDRESS SECONDS}. The script runs {@code LeanSteady ADDRESS TOPIC SECONDS
 * fill|lean|plain|lean-patient|plain-patient|lean-idle}. For the patient consumers, the broker answers a fetch after
 * 100 ms or with 100 kB. The idle consumer's topic gets no records.
 */
public final class LeanSteady {

    private static final int PER_SECOND = 5_000;
    private static final int VALUE_BYTES = 23;
    private static final int WARM_UP_SECONDS = 20;
    private static final Duration TURN = Duration.ofMillis(100);
    private static final int PATIENT_BYTES = 100_000;
    private static final long NANOS = 1_000_000_000;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final String bootstrap;
    private final String topic;
    private final int seconds;
    private final String who;
    private long count;
    private long sum;

    private LeanSteady(String bootstrap, String topic, int seconds, String who) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.seconds = seconds;
        this.who = who;
    }

    /** Runs the program with the arguments described in the class comment. */
    public static void main(String[] args) throws Exception {
        LeanSteady steady = new LeanSteady(args[0], args[1], Integer.parseInt(args[2]), args[3]);
        boolean patient = args[3].endsWith("-patient");
        switch (args[3]) {
            case "fill" -> steady.fill();
            case "plain", "plain-patient" -> steady.plain(patient);
            case "lean-idle" -> {
                steady.createTopic();
                steady.lean(false);
            }
            default -> steady.lean(patient);
        }
    }

    /** Writes records at a steady rate while the other processes run. */
    private void fill() throws Exception {
        createTopic();
        byte[] value = new byte[VALUE_BYTES];
        long end = (long) (seconds + 2 * WARM_UP_SECONDS) * PER_SECOND;
        long startNanos = System.nanoTime();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long i = 0; i < end; i++) {
                long dueNanos = startNanos + i * (NANOS / PER_SECOND);
                while (dueNanos - System.nanoTime() > 0) {
                    LockSupport.parkNanos(dueNanos - System.nanoTime());
                }
                var ignored = producer.send(new ProducerRecord<>(topic, value));
            }
        }
    }

    private void createTopic() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }

    private void lean(boolean patient) {
        LeanSettings.Builder settings = LeanSettings.builder().bootstrapServers(bootstrap);
        if (patient) {
            settings.minFetchBytes(PATIENT_BYTES).maxFetchWait(TURN);
        }
        try (LeanConsumer consumer = LeanConsumer.open(settings.build())) {
            consumer.assign(topic, 0, StartAt.end());
            // Created outside the loop, to allocate the lambda once.
            RecordHandler handler = record -> {
                sum += record.value().getLong(0);
                count++;
            };
            run(() -> {
                if (consumer.poll(handler) == 0) {
                    consumer.await(TURN);
                }
            });
        }
    }

    private void plain(boolean patient) {
        Map<String, Object> config = new HashMap<>(Map.of("bootstrap.servers", bootstrap));
        if (patient) {
            config.put("fetch.min.bytes", PATIENT_BYTES);
            config.put("fetch.max.wait.ms", (int) TURN.toMillis());
        }
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> all = List.of(new TopicPartition(topic, 0));
            consumer.assign(all);
            consumer.seekToEnd(all);
            run(() -> {
                for (var record : consumer.poll(TURN)) {
                    sum += record.value()[0];
                    count++;
                }
            });
        }
    }

    private void run(Runnable turn) {
        until(WARM_UP_SECONDS, turn);
        long countBefore = count;
        long bytes = threads.getTotalThreadAllocatedBytes();
        long own = threads.getCurrentThreadAllocatedBytes();
        long cpu = system.getProcessCpuTime();
        long ownCpu = threads.getCurrentThreadCpuTime();
        until(seconds, turn);
        ownCpu = threads.getCurrentThreadCpuTime() - ownCpu;
        cpu = system.getProcessCpuTime() - cpu;
        own = threads.getCurrentThreadAllocatedBytes() - own;
        bytes = threads.getTotalThreadAllocatedBytes() - bytes;
        System.out.printf(
                Locale.ROOT,
                "| %s | %,d | %,.0f | %,d | %,d | %.2f | %.2f |%n",
                who,
                seconds,
                (double) (count - countBefore) / seconds,
                bytes,
                own,
                100.0 * cpu / NANOS / seconds,
                100.0 * ownCpu / NANOS / seconds);
    }

    private void until(int howLong, Runnable turn) {
        long end = System.nanoTime() + howLong * NANOS;
        while (System.nanoTime() - end < 0) {
            turn.run();
        }
    }
}
