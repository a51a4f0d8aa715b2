package dev.weir.checks.jmh;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads a topic at least once into {@code Sink.forEach}, with a group of its own. {@link Versions} loads it once for
 * each version, so it calls only what all of them have; the source is looked up, as its name was another one.
 */
public final class VersionPass implements Function<Map<String, String>, long[]> {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** The factory's names in the versions; the first needs another call. */
    private static final Set<String> NAMES = Set.of("from", "atLeastOnce", "committable");

    /** Called with a name by {@link Versions}, without arguments. */
    public VersionPass() {}

    /**
     * Runs a pass.
     *
     * @param pass bootstrap, topic, group; from and to, the records between which time is taken; what begins with a
     *     colon is a client's setting
     * @return nanoseconds by the clock, and of the process's processor time
     */
    @Override
    public long[] apply(Map<String, String> pass) {
        // Kafka's client looks there for its classes.
        Thread.currentThread().setContextClassLoader(VersionPass.class.getClassLoader());
        Reader reader =
                new Reader(Long.parseLong(pass.getOrDefault("from", "")), Long.parseLong(pass.getOrDefault("to", "")));
        ConsumerSettings.Builder<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers(pass.getOrDefault("bootstrap", ""))
                .property("group.id", pass.getOrDefault("group", ""))
                .property("auto.offset.reset", "earliest");
        pass.forEach((name, value) -> {
            if (name.startsWith(":")) {
                settings.property(name.substring(1), value);
            }
        });
        try (RunningPipeline running = source(settings.build(), pass.getOrDefault("topic", ""))
                .to(Sink.forEach(reader::read))
                .run()) {
            var ignored = running.completion().whenComplete((report, failure) -> reader.through.countDown());
            reader.through.await();
            if (reader.count < reader.to) {
                running.await();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return new long[] {reader.nanos, reader.cpuNanos, reader.sum};
    }

    @SuppressWarnings("unchecked") // both say so
    private static Source<ConsumerRecord<byte[], byte[]>> source(
            ConsumerSettings<byte[], byte[]> settings, String topic) {
        try {
            Class<?>[] parameters = {ConsumerSettings.class, String[].class};
            Method method = Arrays.stream(KafkaSource.class.getMethods())
                    .filter(each -> NAMES.contains(each.getName()))
                    .filter(each -> Arrays.equals(each.getParameterTypes(), parameters))
                    .findFirst()
                    .orElseThrow();
            Object made = method.invoke(null, settings, new String[] {topic});
            return (Source<ConsumerRecord<byte[], byte[]>>)
                    (method.getName().equals("from")
                            ? made.getClass().getMethod("atLeastOnce").invoke(made)
                            : made);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Confined to the thread of the sink, but for what is read after {@link #through}. */
    private static final class Reader {
        private final CountDownLatch through = new CountDownLatch(1);
        private final long from;
        private final long to;
        private long count;
        private long sum;
        private long nanos;
        private long cpuNanos;

        Reader(long from, long to) {
            this.from = from;
            this.to = to;
        }

        void read(ConsumerRecord<byte[], byte[]> record) {
            sum += record.value()[0];
            count++;
            if (count == from) {
                nanos = -System.nanoTime();
                cpuNanos = -SYSTEM.getProcessCpuTime();
            } else if (count == to) {
                nanos += System.nanoTime();
                cpuNanos += SYSTEM.getProcessCpuTime();
                through.countDown();
            }
        }
    }
}
