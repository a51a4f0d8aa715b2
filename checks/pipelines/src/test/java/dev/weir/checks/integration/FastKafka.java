package dev.weir.checks.integration;

import dev.weir.kafka.spi.Lookup;
import dev.weir.kafka.spi.Surroundings;
import dev.weir.kafka.spi.SurroundingsRegistry;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Surroundings of consumers in which time passes {@value #SPEED} times as fast. Collects the consumers' log lines, and
 * lets a test change the brokers' answers. Thread-safe.
 */
final class FastKafka implements Surroundings, AutoCloseable {

    private static final int SPEED = 60;

    private final String bootstrapServers;
    private final UnaryOperator<Lookup> answers;
    private final Surroundings real = SurroundingsRegistry.of(Map.of());
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    private FastKafka(String bootstrapServers, UnaryOperator<Lookup> answers) {
        this.bootstrapServers = bootstrapServers;
        this.answers = answers;
    }

    /** Creates an environment for all consumers of this address until {@link #close}. */
    static FastKafka at(String bootstrapServers, UnaryOperator<Lookup> answers) {
        FastKafka around = new FastKafka(bootstrapServers, answers);
        SurroundingsRegistry.put(bootstrapServers, around);
        return around;
    }

    /** Returns a lookup that asks {@code first}, and then {@code lookup} if the result is null. */
    static Lookup answering(Lookup lookup, BiFunction<String, Object[], @Nullable Object> first) {
        return (Lookup) Proxy.newProxyInstance(
                Lookup.class.getClassLoader(), new Class<?>[] {Lookup.class}, (self, method, args) -> {
                    Object answer = first.apply(method.getName(), args);
                    try {
                        return answer == null ? method.invoke(lookup, args) : answer;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    /** Returns the log lines of the consumers' threads, each with its level in front. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    List<String> warnings() {
        return lines().stream().filter(line -> line.startsWith("WARN ")).toList();
    }

    @Override
    public Consumer<byte[], byte[]> client(Map<String, Object> config) {
        return real.client(config);
    }

    @Override
    public Lookup lookup(Map<String, Object> config) {
        return answers.apply(real.lookup(config));
    }

    @Override
    public boolean hasBrokers() {
        return true;
    }

    @Override
    public void logged(String line) {
        lines.add(line);
    }

    @Override
    public long nanoTime() {
        return real.nanoTime() * SPEED;
    }

    @Override
    public void park(long nanos) {
        real.park(nanos / SPEED);
    }

    @Override
    public <T> Stage<T> pulled(Stage<T> stage, Clock clock) {
        return stage;
    }

    @Override
    public void close() {
        SurroundingsRegistry.remove(bootstrapServers);
    }
}
