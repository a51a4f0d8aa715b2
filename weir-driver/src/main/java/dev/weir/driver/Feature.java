package dev.weir.driver;

/** A feature that a library may or may not have, and that a workload may ask for by an option of a scenario. */
public enum Feature {
    /** Produces in transactions. */
    TRANSACTIONS("transactions", "options." + PassOptions.TRANSACTION_RECORDS),
    /** Copies from topic to topic in transactions that hold the offsets too. */
    EXACTLY_ONCE("exactly once", "options." + PassOptions.GUARANTEE),
    /** Calls a handler again that failed, after a while. */
    RETRIES("retries", "options." + Failures.SHARE),
    /** Reads several topics at a time. */
    TOPICS("several topics", "topics"),
    /** Joins a share group with as many members as {@link ShareOptions#consumers} says, in place of one. */
    SHARE_CONSUMERS("share consumers", "options." + ShareOptions.CONSUMERS);

    private final String title;
    private final String key;

    Feature(String title, String key) {
        this.title = title;
        this.key = key;
    }

    /** For people: what it is and which key asks for it. */
    public String text() {
        return title + " (" + key + ")";
    }
}
