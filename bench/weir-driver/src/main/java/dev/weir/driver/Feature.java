package dev.weir.driver;

/** An optional feature of libraries. A workload requires it by setting an option of the scenario. */
public enum Feature {
    /** Produces in transactions. */
    TRANSACTIONS("transactions", "options." + PassOptions.TRANSACTION_RECORDS),
    /** Copies from topic to topic in transactions that include the offsets. */
    EXACTLY_ONCE("exactly once", "options." + PassOptions.GUARANTEE),
    /** Retries a failed handler after a delay. */
    RETRIES("retries", "options." + Failures.SHARE),
    /** Reads several topics at a time. */
    TOPICS("several topics", "topics"),
    /** Joins a share group with several members instead of a single one; see {@link ShareOptions#consumers}. */
    SHARE_CONSUMERS("share consumers", "options." + ShareOptions.CONSUMERS);

    private final String title;
    private final String key;

    Feature(String title, String key) {
        this.title = title;
        this.key = key;
    }

    /** Returns the feature's title and the key that requires it, for messages. */
    public String text() {
        return title + " (" + key + ")";
    }
}
