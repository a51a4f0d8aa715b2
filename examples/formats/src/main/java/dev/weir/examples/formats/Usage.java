package dev.weir.examples.formats;

/** Ends the process with exit code 2 and one line of text if its arguments are wrong. Stateless. */
final class Usage {

    private static final String ADDRESS = "[^,\\s]+:[0-9]{1,5}";

    private Usage() {}

    static void check(boolean isRight, String usage) {
        if (!isRight) {
            System.err.println("usage: " + usage);
            System.exit(2);
        }
    }

    /** Returns whether the text is a list of {@code HOST:PORT}, separated by commas. */
    static boolean isAddress(String text) {
        return text.matches(ADDRESS + "(," + ADDRESS + ")*");
    }
}
