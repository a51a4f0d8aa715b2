package planted.testkit;

/** Prints and ends the process in each way there is. */
final class Talks {
    void out() {
        System.out.println("done");
    }

    void err(Exception e) {
        System.err.println("failed");
        e.printStackTrace();
    }

    void end(int code) {
        if (code == 0) {
            System.exit(code);
        }
        Runtime.getRuntime().halt(code);
    }
}
