package dev.weir.drivers.kafka;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A minimal producer, whose rate is the upper limit for all others. It uses one blocking socket to one broker, with
 * five requests in flight, and encodes full batches in place. It does not support idempotence, compression, lingering
 * or changes of leaders. Confined to the main thread.
 */
final class BareProducerDriver implements Driver {

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.PRODUCE);
    }

    @Override
    public void run(Pass pass) throws Exception {
        refuseWhatItIgnores(pass);
        Map<String, List<Integer>> leaders = BareDriver.partitionsByLeader(pass.configuration());
        if (leaders.size() != 1) {
            throw new IllegalArgumentException(
                    "bare-produce writes to one broker: set brokers: 1, or leave it out of drivers");
        }
        Map.Entry<String, List<Integer>> leader = leaders.entrySet().iterator().next();
        try (BareProducer producer = new BareProducer(leader.getKey(), leader.getValue(), pass)) {
            while (!pass.isDone() && producer.turn()) {
                // Sends until nothing is left or the time is up.
            }
            producer.flush();
            pass.awaitDone();
        }
    }

    private static void refuseWhatItIgnores(Pass pass) {
        if (pass.configuration().options().containsKey(SendPlan.RATE)
                || pass.options().transactionRecords() > 0) {
            throw new IllegalArgumentException(
                    "bare-produce knows neither rates nor transactions: leave it out of drivers");
        }
        Map<String, String> client = pass.clientConfig().producer(Map.of());
        if (!client.getOrDefault("compression.type", "none").equals("none")
                || !Set.of("all", "-1").contains(client.getOrDefault("acks", "all"))) {
            throw new IllegalArgumentException(
                    "bare-produce knows acks=all and compression.type=none alone: leave it out of drivers");
        }
    }
}
