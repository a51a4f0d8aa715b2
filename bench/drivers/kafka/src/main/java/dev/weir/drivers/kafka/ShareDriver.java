package dev.weir.drivers.kafka;

import dev.weir.driver.Driver;
import dev.weir.driver.Feature;
import dev.weir.driver.GroupType;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.driver.ShareOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Share consumers of the official client. Each has its own thread and its share of the workers. Confined to the main
 * thread; each {@link ShareMember} is confined to its own thread.
 */
final class ShareDriver implements Driver {
    static final String ACKNOWLEDGEMENT_MODE = "share.acknowledgement.mode";
    static final String ACQUIRE_MODE = "share.acquire.mode";

    private static final String POLL_RECORDS = "max.poll.records";

    // Records per poll as a fraction of the locks per consumer: with 300 consumers and 40 locks each, 30 per poll
    // worked well.
    private static final double TUNED_SHARE = 0.75;

    private final Map<String, String> preset;
    private final boolean tuned;

    /**
     * Creates a driver with these client properties.
     *
     * @param tuned whether polls use the published formula instead of the client's default
     */
    ShareDriver(Map<String, String> preset, boolean tuned) {
        this.preset = preset;
        this.tuned = tuned;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.WORK);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.SHARE_CONSUMERS, Feature.TOPICS);
    }

    @Override
    public GroupType groupType() {
        return GroupType.SHARE;
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        int workers = pass.options().concurrency();
        int consumers = ShareOptions.consumers(pass.configuration().options(), workers);
        Map<String, Object> config = config(pass, consumers);
        pass.figure("share: consumers", consumers);
        try (ExecutorService members = Executors.newFixedThreadPool(
                consumers, Thread.ofPlatform().name("share-member-", 0).factory())) {
            for (int member = 0; member < consumers; member++) {
                int own = workers / consumers + (member < workers % consumers ? 1 : 0);
                members.execute(new ShareMember(pass, config, own));
            }
            pass.awaitDone();
        }
    }

    private Map<String, Object> config(Pass pass, int consumers) {
        Map<String, String> options = pass.configuration().options();
        Map<String, String> own = new HashMap<>(preset);
        if (tuned) {
            own.put(POLL_RECORDS, Integer.toString(tunedPollRecords(pass, consumers)));
        }
        Map<String, String> config = pass.clientConfig().share(own);
        int records = ShareOptions.number(options, ShareOptions.POLL_RECORDS);
        if (records > 0) {
            config.put(POLL_RECORDS, Integer.toString(records));
        }
        putUnlessOwn(config, ACQUIRE_MODE, options.get(ShareOptions.ACQUIRE));
        putUnlessOwn(config, ACKNOWLEDGEMENT_MODE, options.get(ShareOptions.ACKNOWLEDGEMENT));
        return new HashMap<>(config);
    }

    private static void putUnlessOwn(Map<String, String> config, String name, @Nullable String value) {
        if (value != null && !value.equals(ShareOptions.OWN)) {
            config.put(name, value);
        }
    }

    /** Returns the number of records per poll. */
    private static int tunedPollRecords(Pass pass, int consumers) {
        int locks = ShareOptions.locks(pass.configuration().options());
        int partitions = pass.configuration().partitions();
        return (int) Math.clamp(TUNED_SHARE * locks * partitions / consumers, 1, locks);
    }
}
