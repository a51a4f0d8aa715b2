package dev.weir.spring;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the application's {@link Pipeline} beans, each under its bean name. Thread-safe.
 *
 * <p>Pipelines start in the last phase of the application context and stop first. The beans are looked up at the first
 * start, so that a pipeline's handler may use this object; until then, it contains no pipelines. A stop drains all
 * pipelines concurrently. The drain timeout is {@code spring.lifecycle.timeout-per-shutdown-phase} minus 6 seconds, but
 * at least half of that property's value. Work that is left unfinished is logged. The JVM stays alive while a pipeline
 * runs. If a pipeline fails, {@code weir.on-failure} determines whether the application ends, and {@link #getExitCode}
 * returns 1 until the pipeline is started again.
 */
public final class WeirPipelines implements SmartLifecycle, ExitCodeGenerator {

    private static final Logger LOG = LoggerFactory.getLogger(WeirPipelines.class);

    /** A drain waits up to 5 seconds after its timeout for cancelled stages. One second is a margin. */
    private static final Duration GRACE = Duration.ofSeconds(6);

    private final Supplier<Map<String, Pipeline>> pipelines;
    private final WeirProperties properties;
    private final Duration drain;
    private final Supplier<@Nullable MeterRegistry> registry;
    private final Runnable shutdown;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private @Nullable Thread keeper;

    // Written under the lock.
    private volatile Map<String, PipelineBean> beans = Map.of();

    // Set to true under the lock. Set to false without the lock, so that a stop never waits for a start in progress.
    private volatile boolean running;

    /**
     * Creates the runner. Pipelines are started by {@link #start}.
     *
     * @param pipelines the beans by name; read once, at the first start
     * @param phaseTimeout how long the application waits for a shutdown phase
     * @param registry the registry for meters, read at each start; null for none
     * @param shutdown closes the application; called by a separate thread
     */
    WeirPipelines(
            Supplier<Map<String, Pipeline>> pipelines,
            WeirProperties properties,
            Duration phaseTimeout,
            Supplier<@Nullable MeterRegistry> registry,
            Runnable shutdown) {
        this.pipelines = pipelines;
        this.properties = properties;
        this.drain = drainTime(phaseTimeout);
        this.registry = registry;
        this.shutdown = shutdown;
    }

    /** Returns a drain timeout that leaves time for the drain report within the phase. */
    static Duration drainTime(Duration phaseTimeout) {
        Duration half = phaseTimeout.dividedBy(2);
        Duration rest = phaseTimeout.minus(GRACE);
        return rest.compareTo(half) > 0 ? rest : half;
    }

    /** Returns the names of all pipelines, in alphabetical order. */
    public Set<String> names() {
        return Collections.unmodifiableSet(beans.keySet());
    }

    /**
     * Returns the current or last run of a pipeline, or empty before its first run. The application may inspect and
     * control the run but must not close it. {@code stop()} ends it normally; a cancellation counts as a failure.
     *
     * @throws IllegalArgumentException if there is no such pipeline
     */
    public Optional<RunningPipeline> running(String name) {
        return Optional.ofNullable(bean(name).running());
    }

    Collection<PipelineBean> beans() {
        return beans.values();
    }

    private PipelineBean bean(String name) {
        PipelineBean bean = beans.get(Objects.requireNonNull(name, "name"));
        if (bean == null) {
            throw new IllegalArgumentException("there is no Pipeline bean " + name + "; there are " + beans.keySet());
        }
        return bean;
    }

    /**
     * Starts all pipelines unless {@code auto-start=false} is set for them. If a pipeline cannot start, all other
     * pipelines are stopped.
     */
    @Override
    public void start() {
        try {
            startAll();
        } catch (RuntimeException | Error failure) {
            stop();
            throw failure;
        }
    }

    private void startAll() {
        lock.lock();
        try {
            if (running) {
                return;
            }
            running = true;
            if (beans.isEmpty()) {
                beans = lookUp();
            }
            for (PipelineBean bean : beans.values()) {
                // A concurrent stop sets running to false without the lock, so check it for each bean.
                if (running && startsByItself(bean)) {
                    run(bean);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private Map<String, PipelineBean> lookUp() {
        Map<String, PipelineBean> found = new TreeMap<>();
        new TreeMap<>(pipelines.get())
                .forEach((name, pipeline) -> found.put(
                        name,
                        new PipelineBean(
                                name,
                                pipeline,
                                new PipelineConsole(name, properties.console(), found.size()),
                                properties.metrics().partitionTags())));
        for (String name : properties.pipelines().keySet()) {
            if (!found.containsKey(name)) {
                throw new IllegalArgumentException("weir.pipelines." + name
                        + ": there is no Pipeline bean of that name; there are " + found.keySet());
            }
        }
        return found;
    }

    private boolean startsByItself(PipelineBean bean) {
        WeirProperties.PipelineProperties own = properties.pipelines().get(bean.name());
        return own == null || own.autoStart();
    }

    /**
     * Starts a pipeline that is not running: its {@code auto-start} may be false, or its last run may have ended or
     * failed.
     *
     * @throws IllegalArgumentException if there is no such pipeline
     * @throws IllegalStateException if the pipeline is already running, or the application context is not running
     * @throws KafkaPipelineException if Weir or Kafka's client refuses to start the pipeline; the message contains the
     *     reason
     */
    public void start(String name) {
        PipelineBean bean = bean(name);
        lock.lock();
        try {
            if (!running) {
                throw new IllegalStateException("pipeline " + name + " cannot start: the application does not run");
            }
            if (bean.runs()) {
                throw new IllegalStateException("pipeline " + name + " runs already");
            }
            run(bean);
        } finally {
            lock.unlock();
        }
    }

    /** Must be called under the lock. */
    private void run(PipelineBean bean) {
        bean.start(properties.metrics().enabled() ? registry.get() : null, this::signal);
        if (keeper == null) {
            keeper = Thread.ofPlatform().daemon(false).name("weir-pipelines").start(this::keep);
        }
    }

    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Keeps the JVM alive while a pipeline runs on daemon threads. Closes the application if a pipeline has failed and
     * {@code weir.on-failure} is {@code shutdown}.
     */
    private void keep() {
        boolean close;
        lock.lock();
        try {
            while (running && !mustShutDown() && beans.values().stream().anyMatch(PipelineBean::runs)) {
                changed.awaitUninterruptibly();
            }
            close = running && mustShutDown();
            keeper = null;
        } finally {
            lock.unlock();
        }
        if (close) {
            LOG.error("the application ends because a pipeline has failed (weir.on-failure=shutdown)");
            shutdown.run();
        }
    }

    private boolean mustShutDown() {
        return properties.onFailure() == OnFailure.SHUTDOWN && getExitCode() != 0;
    }

    /** Drains all pipelines and returns when they have ended. */
    @Override
    public void stop() {
        end().join();
    }

    /** Drains all pipelines on separate threads and calls {@code callback} when they have ended. */
    @Override
    public void stop(Runnable callback) {
        var ignored = end().whenComplete((ended, failure) -> callback.run());
    }

    private CompletableFuture<Void> end() {
        running = false;
        return CompletableFuture.allOf(beans.values().stream()
                        .map(bean -> CompletableFuture.runAsync(
                                () -> end(bean),
                                task -> Thread.ofVirtual()
                                        .name("weir-stop-" + bean.name())
                                        .start(task)))
                        .toArray(CompletableFuture[]::new))
                .whenComplete((ended, failure) -> {
                    if (failure != null) {
                        LOG.error("a pipeline could not be stopped", failure);
                    }
                });
    }

    /**
     * Drains the current run. Then waits for a concurrent start to release the lock, and drains the run that it may
     * have begun.
     */
    private void end(PipelineBean bean) {
        bean.end(drain);
        signal();
        bean.end(drain);
    }

    /**
     * Returns whether the pipelines have been started and have not been stopped since. Individual pipelines may already
     * have ended.
     */
    @Override
    public boolean isRunning() {
        return running;
    }

    /** Returns 1 if a pipeline has failed and has not been started again, otherwise 0. */
    @Override
    public int getExitCode() {
        return beans.values().stream().anyMatch(bean -> bean.failure() != null) ? 1 : 0;
    }
}
