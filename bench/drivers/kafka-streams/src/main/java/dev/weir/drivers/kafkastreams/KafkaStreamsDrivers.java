package dev.weir.drivers.kafkastreams;

import dev.weir.driver.DriverMain;
import java.util.Map;

/** The main class of the process that runs the Kafka Streams drivers. */
public final class KafkaStreamsDrivers {

    private KafkaStreamsDrivers() {}

    /** Serves the driver named in the only argument. */
    public static void main(String[] arguments) {
        DriverMain.serve(
                Map.of(
                        "kafka-streams", () -> new KafkaStreamsDriver(1),
                        "kafka-streams-two-threads", () -> new KafkaStreamsDriver(2)),
                arguments);
    }
}
