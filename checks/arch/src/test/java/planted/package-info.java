/** A small Weir that breaks each house rule, for {@code HouseRulesTest}. Nothing here runs. */
package planted;
