package dev.weir.driver;

/** What a library may or may not have, and a workload may ask for by an option of a scenario. */
public enum Feature {
    /** Produces in transactions. */
    TRANSACTIONS("transactions", PassOptions.TRANSACTION_RECORDS),
    /** Copies from topic to topic in transactions that hold the offsets too. */
    EXACTLY_ONCE("exactly once", PassOptions.GUARANTEE),
    /** Calls a handler again that failed, after a while. */
    RETRIES("retries", Failures.SHARE),
    /** Joins a share group with as many members as {@link ShareOptions#consumers} says, in place of one. */
    SHARE_CONSUMERS("share consumers", ShareOptions.CONSUMERS);

    private final String title;
    private final String option;

    Feature(String title, String option) {
        this.title = title;
        this.option = option;
    }

    /** For people: what it is and which option asks for it. */
    public String text() {
        return title + " (options." + option + ")";
    }
}
