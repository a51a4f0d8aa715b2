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
 * Reads a topic at least once into {@code Sink.forEach}, with its own group. {@link Versions} loads this class for each
 * version of Weir, so it calls only methods that all versions have.
 */
public final class VersionPass implements Function<Map<String, String>, long[]> {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** The names of the source's factory method in all versions of Weir. */
    private static final Set<String> NAMES = Set.of("from", "atLeastOnce", "committable");

    /** Called by {@link Versions} through reflection. */
    public VersionPass() {}

    /**
     * Runs a pass.
     *
     * @param pass the values of {@code bootstrap}, {@code topic} and {@code group}, and the first and last timed
     *     record, {@code from} and {@code to}. Keys with a leading colon are client settings.
     * @return the wall-clock time and the processor time of the process, in nanoseconds
     */
    @Override
    public long[] apply(Map<String, String> pass) {
        // Kafka's client loads its classes through the context class loader.
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

    @SuppressWarnings("unchecked") // both declarations guarantee this type
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

    /**
     * The sink's function. Confined to the sink's thread, except that another thread reads the results after {@link
     * #through}.
     */
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
