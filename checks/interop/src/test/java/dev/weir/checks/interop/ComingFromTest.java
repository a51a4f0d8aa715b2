package dev.weir.checks.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.checks.interop.Shop.Priced;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.ActorSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checks that the pipeline of {@code docs/guide/coming-from.md} does the same in each library. */
class ComingFromTest {

    private static final int CUSTOMERS = 40;
    private static final int EACH = 250;
    private static final int MALFORMED_EVERY = 100;

    private final Shop shop = new Shop();
    private final List<String> lines = lines();

    private static List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (int number = 0; number < EACH; number++) {
            for (int customer = 0; customer < CUSTOMERS; customer++) {
                lines.add("customer" + customer + "," + number + "," + (number % 10));
                if (lines.size() % MALFORMED_EVERY == 0) {
                    lines.add("customer" + customer + ",what?");
                }
            }
        }
        return lines;
    }

    @AfterEach
    void allArePricedInOrderAndWrittenInBatches() {
        List<Priced> written = shop.written.stream().flatMap(List::stream).toList();
        assertThat(written).hasSize(CUSTOMERS * EACH * 9 / 10);
        assertThat(shop.rejected).hasSize(lines.size() - CUSTOMERS * EACH).allMatch(line -> line.contains("what?"));
        Map<String, Integer> last = new HashMap<>();
        for (Priced order : written) {
            Integer before = last.put(order.order().customer(), order.order().number());
            assertThat(order.order().number()).isGreaterThan(before == null ? -1 : before);
            assertThat(order.cents()).isEqualTo(order.order().pieces() * 250L);
        }
        assertThat(shop.written).allMatch(batch -> !batch.isEmpty() && batch.size() <= 100);
        assertThat(shop.breaches).isEmpty();
    }

    @Test
    void weir() throws Exception {
        ComingFrom.weir(lines, shop);
    }

    @Test
    void pekko() throws Exception {
        ActorSystem system = Pekko.system();
        try (ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor()) {
            ComingFrom.pekko(lines, shop, system, blocking);
        } finally {
            system.terminate();
        }
    }

    @Test
    void reactor() {
        ComingFrom.reactor(lines, shop);
    }

    @Test
    void mutiny() {
        try (ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor()) {
            ComingFrom.mutiny(lines, shop, blocking);
        }
    }
}
