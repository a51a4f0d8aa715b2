package dev.weir.lean;

import java.time.Duration;
import java.util.Objects;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.IdleStrategy;

/**
 * A consumer's polling loop, as an Agrona agent for an {@code AgentRunner} or a {@code CompositeAgent}. Confined to the
 * thread that runs the agent. Closes the consumer when the agent is closed.
 *
 * <pre>{@code
 * LeanRunner runner = new LeanRunner(consumer, record -> sum += record.value().getLong(0));
 * AgentRunner.startOnThread(new AgentRunner(runner.idleStrategy(), Throwable::printStackTrace, null, runner));
 * }</pre>
 */
public final class LeanRunner implements Agent {

    private final LeanConsumer consumer;
    private final RecordHandler handler;

    public LeanRunner(LeanConsumer consumer, RecordHandler handler) {
        this.consumer = Objects.requireNonNull(consumer, "consumer");
        this.handler = Objects.requireNonNull(handler, "handler");
    }

    @Override
    public int doWork() {
        return consumer.poll(handler);
    }

    @Override
    public void onClose() {
        consumer.close();
    }

    @Override
    public String roleName() {
        return "weir-lean";
    }

    /**
     * Returns a strategy that waits in the operating system until a broker sends something. Waiting uses no CPU time,
     * but a wake-up takes a few microseconds. If that is too slow, use one of Agrona's own strategies.
     */
    public IdleStrategy idleStrategy() {
        return new AwaitingIdleStrategy(consumer);
    }

    /** Idles by waiting for responses from brokers. Confined to the consumer's thread. */
    private static final class AwaitingIdleStrategy implements IdleStrategy {

        private static final Duration LONGEST = Duration.ofMillis(100);

        private final LeanConsumer consumer;

        private AwaitingIdleStrategy(LeanConsumer consumer) {
            this.consumer = consumer;
        }

        @Override
        public void idle(int workCount) {
            if (workCount == 0) {
                idle();
            }
        }

        @Override
        public void idle() {
            consumer.await(LONGEST);
        }

        @Override
        public void reset() {}

        @Override
        public String alias() {
            return "await";
        }
    }
}
