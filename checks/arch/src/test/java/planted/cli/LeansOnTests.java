package planted.cli;

import org.apache.kafka.clients.consumer.MockConsumer;
import planted.stream.testing.Probe;
import planted.testkit.SimulatedWorld;

/** Behaves otherwise under test. */
final class LeansOnTests {
    boolean isTest(Object it) {
        return it instanceof Probe || it instanceof SimulatedWorld || it instanceof MockConsumer<?, ?>;
    }
}
