package dev.weir.testkit.internal.simulation;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.testing.RestProbe;
import dev.weir.testkit.SimulatedFailure;
import dev.weir.testkit.SimulatedKafka;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * One run of the user's process, from its start until it stops or crashes. The methods that the user calls are
 * thread-safe. Everything else is confined to the simulation's thread.
 */
final class SimulatedProcess implements SimulatedKafka {

    /** Thrown once the process is gone. Later actions of the process do not reach the cluster. */
    @SuppressWarnings("serial") // never serialised
    static final class Gone extends Error {
        private Gone(String why) {
            super(why);
        }
    }

    private final String bootstrapServers;
    private final Ledger ledger;
    private final Clock clock;
    private final CompletableFuture<RunningPipeline> running = new CompletableFuture<>();

    private volatile @Nullable SimulatedClient client;

    // Confined to the simulation's thread.
    private @Nullable RestProbe probe;
    boolean joined;
    boolean stopping;

    /** True if the process has crashed. Also read by the user's threads. */
    volatile boolean gone;

    SimulatedProcess(String bootstrapServers, Ledger ledger, Clock clock) {
        this.bootstrapServers = bootstrapServers;
        this.ledger = ledger;
        this.clock = clock;
    }

    // ---- The user --------------------------------------------------------------------------------------------------

    @Override
    public String bootstrapServers() {
        return bootstrapServers;
    }

    @Override
    public void work(ConsumerRecord<?, ?> record) {
        RecordWork work = begin(record);
        if (work == null) {
            throw interrupted(new InterruptedException("the simulated process has crashed"));
        }
        try {
            ledger.await(work);
        } catch (InterruptedException interrupted) {
            ledger.abandon(work);
            throw interrupted(interrupted);
        }
        SimulatedFailure failure = work.failure();
        if (failure != null) {
            throw failure;
        }
    }

    /** Begins work on a record. Returns null after a crash, even if the next process has started. */
    private @Nullable RecordWork begin(ConsumerRecord<?, ?> record) {
        return gone ? null : ledger.begin(record);
    }

    private static CompletionException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new CompletionException(cause);
    }

    @Override
    public CompletionStage<Void> workAsync(ConsumerRecord<?, ?> record) {
        RecordWork work = begin(record);
        return work == null ? new CompletableFuture<>() : work.done().copy();
    }

    @Override
    public <K, V> ProducerRecord<K, V> output(ConsumerRecord<?, ?> source, ProducerRecord<K, V> output) {
        return Outputs.mark(source, output);
    }

    @Override
    public Clock clock() {
        return clock;
    }

    // ---- SimulationRun ---------------------------------------------------------------------------------------------

    void runs(RunningPipeline started) {
        running.complete(started);
    }

    void doesNotRun(Throwable failure) {
        running.completeExceptionally(failure);
    }

    boolean isConnected() {
        return client != null;
    }

    // ---- The simulation --------------------------------------------------------------------------------------------

    SimulatedClient connect(SimulatedClient made) {
        if (client != null) {
            throw new IllegalStateException("a simulation drives one consumer for each pipeline, this is a second one;"
                    + " simulate the parts of the pipeline one by one");
        }
        client = made;
        return made;
    }

    SimulatedClient client() {
        return Objects.requireNonNull(client, "no consumer has connected");
    }

    /**
     * Waits until the pipeline is running. The wait is limited in real time, because the pipeline's creation may fail.
     */
    boolean awaitRunning(Duration limit) {
        try {
            var ignored = running.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException notYet) {
            return false;
        } catch (ExecutionException | InterruptedException never) {
            throw end("not started");
        }
    }

    RestProbe probe() {
        RestProbe known = probe;
        if (known == null) {
            known = new RestProbe(running.join());
            probe = known;
        }
        return known;
    }

    List<ConsumerHandle> handles() {
        return running.join().handles(ConsumerHandle.class);
    }

    void stop() {
        stopping = true;
        running.join().stop();
    }

    /** Marks the process as gone, and returns the exception that ends it. */
    Gone end(String why) {
        gone = true;
        return new Gone(why);
    }
}
