package dev.weir.stream.internal.interop;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.Thrown;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * A publisher that uses one run for all subscribers. The run starts with the first subscriber and ends with the last.
 * Thread-safe.
 */
final class SharedPublisher<T> implements Flow.Publisher<T> {

    private static final Logger LOG = System.getLogger(SharedPublisher.class.getName());

    private final Function<SinkFactory<T>, RunningPipeline> starter;
    private final FanoutSink<T> fanout = new FanoutSink<>();
    private final AtomicBoolean started = new AtomicBoolean();

    /**
     * Creates a publisher without starting a run.
     *
     * @param starter adds the given sink to a blueprint and starts a run
     */
    SharedPublisher(Function<SinkFactory<T>, RunningPipeline> starter) {
        this.starter = starter;
    }

    /** See {@link FanoutSink#failInsteadOfWaiting}. */
    void failInsteadOfWaiting(Throwable failure) {
        fanout.failInsteadOfWaiting(failure);
    }

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        fanout.subscribe(subscriber);
        if (!fanout.isAbandoned() && started.compareAndSet(false, true)) {
            try {
                var ignored = starter.apply(fanout::loop).completion().whenComplete((report, failure) -> {
                    if (failure != null && !fanout.hasTold(failure)) {
                        LOG.log(
                                Level.WARNING,
                                "A pipeline that ran for a subscriber failed",
                                Thrown.unwrapped(failure));
                    }
                });
            } catch (RuntimeException | Error refused) {
                fanout.end(refused);
            }
        }
    }
}
