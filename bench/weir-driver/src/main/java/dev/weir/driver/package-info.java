/**
 * The code that runs in the process of a library under test on behalf of the harness: the messages exchanged with the
 * harness as lines of JSON, the ledger of deliveries, and the meters of the process. A driver implements
 * {@link dev.weir.driver.Driver}. The rest of the package calls the driver, on the main thread.
 */
@NullMarked
package dev.weir.driver;

import org.jspecify.annotations.NullMarked;
