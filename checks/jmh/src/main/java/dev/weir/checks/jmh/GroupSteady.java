package dev.weir.checks.jmh;

import com.sun.management.ThreadMXBean;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.view.RecordViews;
import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Measures the allocation of a consumer group member, for the whole process and each thread. The load is {@value
 * #PER_SECOND} records per second of {@value #VALUE_BYTES} bytes over {@value #PARTITIONS} partitions, or no records.
 *
 * <p>Run: {@code checks/jmh/group.sh ADDRESS SECONDS}. The script runs {@code GroupSteady ADDRESS TOPIC SECONDS
 * fill|views|views-kip848|decoder}. With {@code -patient} after a consumer's name, the broker answers a fetch after 100
 * ms or with 100 kB. With {@code -thread}, the pipeline runs on a platform thread. A member is idle if no {@code fill}
 * process writes to its topic.
 */
public final class GroupSteady {

    private static final int PER_SECOND = 5_000;
    private static final int PARTITIONS = 6;
    private static final int VALUE_BYTES = 23;
    private static final int WARM_UP_SECONDS = 20;
    private static final int SHOWN_THREADS = 6;
    private static final long NANOS = 1_000_000_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final String bootstrap;
    private final String topic;
    private final int seconds;
    private final LongAdder records = new LongAdder();
    private final LongAdder elements = new LongAdder();

    private GroupSteady(String bootstrap, String topic, int seconds) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.seconds = seconds;
    }

    /** Runs the program with the arguments described in the class comment. */
    public static void main(String[] args) throws Exception {
        GroupSteady steady = new GroupSteady(args[0], args[1], Integer.parseInt(args[2]));
        steady.createTopic();
        if (args[3].equals("fill")) {
            steady.fill();
        } else {
            steady.read(args[3]);
        }
    }

    private void createTopic() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }

    /** Writes records at a steady rate while the other processes run. */
    private void fill() {
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
                var ignored = producer.send(new ProducerRecord<>(topic, (int) (i % PARTITIONS), null, value));
            }
        }
    }

    /** Sets the group's heartbeat interval to 5 s, the production default. Development brokers use a tenth of it. */
    private void setHeartbeats(String group) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.GROUP, group);
        ConfigEntry interval = new ConfigEntry("consumer.heartbeat.interval.ms", "5000");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.incrementalAlterConfigs(
                            Map.of(resource, List.of(new AlterConfigOp(interval, AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    private void read(String who) throws Exception {
        setHeartbeats(topic + "-" + who);
        ConsumerSettings.Builder<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers(bootstrap)
                .groupId(topic + "-" + who)
                .property("auto.offset.reset", "latest")
                .fetch(FetchPath.LEAN);
        if (who.contains("-kip848")) {
            settings.property("group.protocol", "consumer");
        }
        if (who.contains("-patient")) {
            settings.property("fetch.min.bytes", "100000").property("fetch.max.wait.ms", "100");
        }
        ConsumerSettings<byte[], byte[]> lean = settings.build();
        Dispatcher dispatcher = who.contains("-thread") ? Dispatcher.single("reading") : Dispatcher.virtual();
        Attributes attributes = Attributes.NONE.withDispatcher(dispatcher);
        Pipeline pipeline = who.startsWith("views")
                ? KafkaSource.from(lean, topic)
                        .views()
                        .to(Sink.<RecordViews>forEach(this::count).with(attributes))
                : KafkaSource.from(lean, topic)
                        .<Long>decodedBy(view -> view.value().getLong(0))
                        .atLeastOnce()
                        .to(Sink.forEach(each -> records.increment()));
        try (dispatcher;
                RunningPipeline running = pipeline.run()) {
            measure(who);
            running.stop();
        }
    }

    private void count(RecordViews views) {
        try (views) {
            while (views.next()) {
                records.increment();
            }
        }
        elements.increment();
    }

    private void measure(String who) throws InterruptedException {
        TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
        Map<Long, Long> before = byThread();
        long count = records.sum();
        long rows = elements.sum();
        long bytes = threads.getTotalThreadAllocatedBytes();
        TimeUnit.SECONDS.sleep(seconds);
        bytes = threads.getTotalThreadAllocatedBytes() - bytes;
        count = records.sum() - count;
        rows = elements.sum() - rows;
        System.out.printf(
                Locale.ROOT,
                "| %s | %,.0f | %,.0f | %,.1f | %.2f |%n",
                who,
                (double) count / seconds,
                (double) rows / seconds,
                bytes / 1e3 / seconds,
                count == 0 ? 0 : (double) bytes / count);
        show(before);
    }

    private Map<Long, Long> byThread() {
        long[] ids = threads.getAllThreadIds();
        long[] allocated = threads.getThreadAllocatedBytes(ids);
        Map<Long, Long> all = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            all.put(ids[i], allocated[i]);
        }
        return all;
    }

    private void show(Map<Long, Long> before) {
        Map<Long, Long> now = byThread();
        now.replaceAll((id, bytes) -> bytes - before.getOrDefault(id, 0L));
        now.entrySet().stream()
                .sorted(Map.Entry.<Long, Long>comparingByValue().reversed())
                .limit(SHOWN_THREADS)
                .forEach(each -> {
                    var thread = threads.getThreadInfo(each.getKey());
                    System.out.printf(
                            Locale.ROOT,
                            "    %,.1f kB/s %s%n",
                            each.getValue() / 1e3 / seconds,
                            thread == null ? "ended" : thread.getThreadName());
                });
    }
}
