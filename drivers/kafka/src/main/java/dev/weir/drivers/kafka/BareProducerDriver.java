package dev.weir.drivers.kafka;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The ceiling of producers: one blocking socket per broker, full batches encoded in place, their CRCs made, five
 * requests in flight. It knows no idempotence, no compression, no lingering, no moves of leaders. Confined to the
 * main thread.
 */
final class BareProducerDriver implements Driver {

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.PRODUCE);
    }

    @Override
    public void run(Pass pass) throws Exception {
        if (pass.configuration().options().containsKey(SendPlan.RATE) || pass.transactionRecords() > 0) {
            throw new IllegalArgumentException(
                    "bare-produce knows neither rates nor transactions: leave it out of drivers");
        }
        List<BareProducer> producers = new ArrayList<>();
        try {
            for (Map.Entry<String, List<Integer>> broker :
                    BareDriver.partitionsByLeader(pass.configuration()).entrySet()) {
                producers.add(new BareProducer(broker.getKey(), broker.getValue(), pass));
            }
            boolean more = true;
            while (more && !pass.isDone()) {
                more = false;
                for (BareProducer producer : producers) {
                    more |= producer.turn();
                }
            }
            for (BareProducer producer : producers) {
                producer.flush();
            }
            pass.awaitDone();
        } finally {
            for (BareProducer producer : producers) {
                producer.close();
            }
        }
    }
}
